import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import type { Draft } from './model.ts';
import { templateOf } from './template-origin.ts';

const MAX_NAME = 120;

/** Save the draft as a new template, with its data as the first dataset. */
export function SaveAsTemplate({ draft, data }: { draft: Draft; data: object | null }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const queries = useQueryClient();
  const [name, setName] = useState('');
  // A second click may come before the first one is drawn.
  const isSent = useRef(false);
  const save = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/templates', { body: templateOf(draft, name.trim(), texts.save.dataset, data) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['templates'] }),
    onError: () => { isSent.current = false; },
  });
  const open = () => {
    if (save.isPending) { dialog.current?.showModal(); return; }
    save.reset();
    isSent.current = false;
    setName(draft.name.trim().slice(0, MAX_NAME));
    dialog.current?.showModal();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSent.current) return;
    isSent.current = true;
    save.mutate();
  };
  const left = [...(draft.assets.length > 0 ? [texts.save.noAssets(draft.assets.length)] : []), ...(draft.output.http === undefined ? [] : [texts.save.noHttp])];
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={open}>{texts.save.open}</button>
      <dialog ref={dialog} className="dialog" aria-labelledby="save-title">
        <form className="dialog-body" onSubmit={submit}>
          <h2 id="save-title">{save.data ? texts.save.saved : texts.save.open}</h2>
          {save.data ? (
            <>
              <p><b>{save.data.name}</b> <code>{save.data.id}</code></p>
              <p className="quiet">{texts.save.next}</p>
            </>
          ) : (
            <>
              <p className="quiet">{texts.save.lead}</p>
              <label className="field">
                <span>{texts.save.name}</span>
                <input className="input" value={name} maxLength={MAX_NAME} required autoFocus onChange={(event) => setName(event.target.value)} />
              </label>
              {left.map((text) => <p key={text} className="remark warning">{text}</p>)}
              {save.error && <ProblemBox problem={problemOf(save.error)} />}
            </>
          )}
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>{save.data ? texts.play.close : texts.save.cancel}</button>
            {save.data
              ? <Link to="/templates/$id" params={{ id: save.data.id }} className="button primary">{texts.save.show}</Link>
              : <button type="submit" className="button primary" disabled={save.isPending || name.trim() === ''}>{save.isPending ? texts.save.saving : texts.save.save}</button>}
          </p>
        </form>
      </dialog>
    </>
  );
}
