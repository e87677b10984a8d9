import * as Menu from '@radix-ui/react-dropdown-menu';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyText } from '../ui/copy.tsx';
import { shownMoment } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { oneTemplate, type Template } from './queries.ts';
import { useSingle } from './use-single.ts';

const NAME_LENGTH = 120;
const DESCRIPTION_LENGTH = 5000;

/** What else can be done with a template. */
export function Actions({ template }: { template: Template }) {
  const { can } = useRights();
  const { key } = useKey();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const details = useRef<HTMLDialogElement>(null);
  const question = useRef<HTMLDialogElement>(null);
  const title = useId();
  const params = { path: { id: template.id } };
  const mayWrite = can('templates:write');
  const lock = useSingle({
    mutationFn: () => dataOf(template.locked ? api.POST('/v1/templates/{id}/unlock', { params }) : api.POST('/v1/templates/{id}/lock', { params })),
    onSuccess: (changed) => queries.setQueryData(oneTemplate(key ?? '', template.id).queryKey, changed),
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates', key] }),
  });
  const remove = useSingle({
    mutationFn: () => dataOf(api.DELETE('/v1/templates/{id}', { params })),
    onSuccess: async () => {
      await navigate({ to: '/templates', search: { deleted: true } });
      await queries.invalidateQueries({ queryKey: ['templates'] });
    },
  });
  return (
    <>
      <Menu.Root modal={false}>
        <Menu.Trigger className="button">{texts.template.more}<Icon name="down" /></Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" sideOffset={4}>
            <Menu.Item className="menu-item" onSelect={() => setTimeout(() => details.current?.showModal())}>{texts.template.menu.details}</Menu.Item>
            <Menu.Item className="menu-item" asChild><Link to="/playground" search={{ template: template.id }}>{texts.template.menu.open}</Link></Menu.Item>
            {template.live_version && <Menu.Item className="menu-item" asChild><Link to="/templates/$id/compare" params={{ id: template.id }} search={{ from: 'live', to: 'draft' }}>{texts.template.menu.compare}</Link></Menu.Item>}
            {template.type === 'image_canvas' && <Menu.Item className="menu-item" asChild><Link to="/templates/$id/scene" params={{ id: template.id }}>{texts.template.menu.draw}</Link></Menu.Item>}
            {mayWrite && <Menu.Item className="menu-item" disabled={lock.isPending} onSelect={() => lock.mutate()}>{template.locked ? texts.template.menu.unlock : texts.template.menu.lock}</Menu.Item>}
            {mayWrite && !template.locked && (
              <>
                <Menu.Separator className="menu-line" />
                <Menu.Item className="menu-item" onSelect={() => setTimeout(() => question.current?.showModal())}>{texts.template.menu.delete}</Menu.Item>
              </>
            )}
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {lock.error && <ProblemBox problem={problemOf(lock.error)} />}
      <Details dialog={details} template={template} mayWrite={mayWrite} />
      <dialog ref={question} className="dialog" aria-labelledby={title}>
        <div className="dialog-body">
          <h2 id={title}>{texts.template.deleteTitle(template.name)}</h2>
          <p>{texts.template.deleteLead}</p>
          {remove.error && <ProblemBox problem={problemOf(remove.error)} />}
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => question.current?.close()}>{texts.template.keep}</button>
            <button type="button" className="button danger" disabled={remove.isPending || remove.isSuccess} onClick={() => remove.mutate()}>{texts.template.delete}</button>
          </p>
        </div>
      </dialog>
    </>
  );
}

function Details({ dialog, template, mayWrite }: { dialog: { current: HTMLDialogElement | null }; template: Template; mayWrite: boolean }) {
  const title = useId();
  const { key } = useKey();
  const queries = useQueryClient();
  const [name, setName] = useState(template.name);
  const [description, setDescription] = useState(template.description ?? '');
  const change = useSingle({
    mutationFn: () => dataOf(api.PATCH('/v1/templates/{id}', { params: { path: { id: template.id } }, body: { name: name.trim(), description: description.trim() || null } })),
    onSuccess: (changed) => {
      queries.setQueryData(oneTemplate(key ?? '', template.id).queryKey, changed);
      dialog.current?.close();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates', key, 'list'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  return (
    <dialog ref={(element) => { dialog.current = element; }} className="dialog" aria-labelledby={title}>
      <form className="dialog-body" onSubmit={submit}>
        <h2 id={title}>{texts.template.detailsTitle}</h2>
        <label className="stacked">
          <span>{texts.templates.name}</span>
          <input className="input" required maxLength={NAME_LENGTH} readOnly={!mayWrite} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="stacked">
          <span>{texts.templates.description}</span>
          <textarea className="input" rows={3} maxLength={DESCRIPTION_LENGTH} readOnly={!mayWrite} value={description} onChange={(event) => setDescription(event.target.value)} />
        </label>
        <dl className="facts">
          <dt>{texts.template.id}</dt><dd><CopyText text={template.id} /></dd>
          <dt>{texts.template.created}</dt><dd>{shownMoment(template.created_at)}</dd>
          <dt>{texts.template.updated}</dt><dd>{shownMoment(template.updated_at)}</dd>
        </dl>
        {change.error && <ProblemBox problem={problemOf(change.error)} />}
        <p className="dialog-foot">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.publish.close}</button>
          {mayWrite && <button type="submit" className="button primary" disabled={change.isPending || name.trim() === ''}>{texts.template.done}</button>}
        </p>
      </form>
    </dialog>
  );
}
