import './scene.css';
import { useNavigate } from '@tanstack/react-router';
import type { components } from 'contract';
import { type FormEvent, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { useTitle } from '../ui/title.ts';

type TemplateRequest = components['schemas']['TemplateRequest'];

const SIZES = [
  { name: 'card', width: 1200, height: 630 },
  { name: 'square', width: 1080, height: 1080 },
  { name: 'label', width: 384, height: 576 },
  { name: 'a4', width: 794, height: 1123 },
  { name: 'badge', width: 325, height: 204 },
] as const;
const MAX_SIDE = 16_384;

/** Make a canvas template: a name and a size, and then its surface. */
export function NewScene() {
  const navigate = useNavigate();
  const { can } = useRights();
  const [name, setName] = useState('');
  const [size, setSize] = useState<{ width: number; height: number }>(SIZES[0]);
  const [isPending, setPending] = useState(false);
  const isSent = useRef(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useTitle(texts.scene.make);
  if (!can('templates:write')) return <p className="pane-note">{texts.key.noScope('templates:write')}</p>;

  const make = async (event: FormEvent) => {
    event.preventDefault();
    // A second press comes before the button is off.
    if (isSent.current) return;
    isSent.current = true;
    setPending(true);
    setProblem(null);
    try {
      const scene = { width: size.width, height: size.height, background: '#ffffff', layers: [] };
      const template = await dataOf(api.POST('/v1/templates', { body: { name: name.trim(), type: 'image_canvas', scene } as unknown as TemplateRequest }));
      await navigate({ to: '/templates/$id/scene', params: { id: template.id } });
    } catch (error) {
      setProblem(problemOf(error));
      isSent.current = false;
      setPending(false);
    }
  };
  const side = (which: 'width' | 'height') => (
    <label>
      <span>{texts.scene.sides[which]}</span>
      <input className="input number" type="number" required min={1} max={MAX_SIDE} step={1} value={Number.isNaN(size[which]) ? '' : size[which]} onChange={(event) => setSize({ ...size, [which]: event.target.valueAsNumber })} />
    </label>
  );
  return (
    <form className="new-scene" onSubmit={(event) => void make(event)}>
      <h1>{texts.scene.make}</h1>
      <p>{texts.scene.makeLead}</p>
      <label>
        <span>{texts.scene.name}</span>
        <input className="input" required maxLength={120} autoFocus value={name} placeholder={texts.scene.namePlaceholder} onChange={(event) => setName(event.target.value)} />
      </label>
      <fieldset>
        <legend>{texts.scene.size}</legend>
        <div className="sizes">
          {SIZES.map((each) => (
            <button key={each.name} type="button" aria-pressed={each.width === size.width && each.height === size.height} onClick={() => setSize({ width: each.width, height: each.height })}>
              <i aria-hidden="true" style={{ aspectRatio: `${each.width} / ${each.height}` }} />
              <b>{texts.scene.sizes[each.name]}</b>
              <span>{each.width} × {each.height}</span>
            </button>
          ))}
        </div>
        <div className="sides">{side('width')}{side('height')}</div>
      </fieldset>
      {problem && <ProblemBox problem={problem} />}
      <p><button type="submit" className="button primary" disabled={isPending || name.trim() === ''}>{isPending ? texts.scene.making : texts.scene.makeIt}</button></p>
    </form>
  );
}
