import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { components } from 'contract';
import { type FormEvent, useId, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { type TemplateType, TYPES } from './search.ts';
import { useSingle } from './use-single.ts';

const NAME_LENGTH = 120;
const SIZE = { width: 1200, height: 630 };

/** A button, and the dialog that makes a template and opens it. */
export function CreateTemplate() {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [type, setType] = useState<TemplateType>('html');
  const create = useSingle({
    mutationFn: (body: components['schemas']['TemplateRequest']) => dataOf(api.POST('/v1/templates', { body })),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: ['templates'] });
      void navigate({ to: '/templates/$id', params: { id: made.id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending && !create.isSuccess) create.mutate(firstSource(name.trim(), type));
  };
  return (
    <>
      <button type="button" className="button primary" aria-haspopup="dialog" onClick={() => { create.reset(); setName(''); dialog.current?.showModal(); }}>{texts.templates.make}</button>
      <dialog ref={dialog} className="dialog" aria-labelledby={title}>
        <form className="dialog-body" onSubmit={submit}>
          <h2 id={title}>{texts.templates.makeTitle}</h2>
          <label className="stacked">
            <span>{texts.templates.name}</span>
            <input className="input" required maxLength={NAME_LENGTH} value={name} autoFocus onChange={(event) => setName(event.target.value)} />
          </label>
          <fieldset className="choices">
            <legend>{texts.templates.type}</legend>
            {TYPES.map((each) => (
              <label key={each}><input type="radio" name="type" checked={type === each} onChange={() => setType(each)} /> {texts.templates.kind[each]}</label>
            ))}
          </fieldset>
          {create.error && <ProblemBox problem={problemOf(create.error)} />}
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.templates.cancel}</button>
            <button type="submit" className="button primary" disabled={name.trim() === '' || create.isPending || create.isSuccess}>{create.isPending ? texts.templates.creating : texts.templates.create}</button>
          </p>
        </form>
      </dialog>
    </>
  );
}

/** What a new template begins with: enough to see how it works. */
function firstSource(name: string, type: TemplateType): components['schemas']['TemplateRequest'] {
  if (type === 'image_canvas') return { name, type, content: { scene: { ...SIZE, background: '#ffffff', layers: [] } } };
  return { name, type, html: texts.templates.sampleHtml, datasets: [{ name: texts.templates.sampleDataset, data: { name: 'Ada' } }] };
}
