import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { draftOf, oneVersion, type Template } from './queries.ts';
import type { VersionName } from './search.ts';
import { differences, LANGUAGE_OF, type SourcePart, sourceOf } from './source.ts';

const SideBySide = lazy(() => import('../editor/side-by-side.tsx'));

type Props = {
  template: Template;
  from: VersionName;
  to: VersionName;
  onChange: (next: { from?: VersionName; to?: VersionName }) => void;
  onClose: () => void;
};

/** The sources of two versions beside each other, part by part. */
export function DiffView({ template, from, to, onChange, onClose }: Props) {
  const left = useSource(template.id, from);
  const right = useSource(template.id, to);
  const [chosen, choose] = useState<SourcePart>();
  const error = left.error ?? right.error;
  const one = left.data && sourceOf(left.data);
  const other = right.data && sourceOf(right.data);
  const parts = one && other ? differences(one, other) : [];
  const part = parts.find((each) => each === chosen) ?? parts[0];
  return (
    <section className="wide-pane" aria-label={texts.diff.title}>
      <div className="diff-head">
        <h2>{texts.diff.title}</h2>
        <VersionChoice label={texts.diff.from} template={template} value={from} onChange={(next) => onChange({ from: next })} />
        <VersionChoice label={texts.diff.to} template={template} value={to} onChange={(next) => onChange({ to: next })} />
        <span className="spacer" />
        <button type="button" className="button" onClick={onClose}>{texts.diff.close}</button>
      </div>
      {error && <ProblemBox problem={problemOf(error)} />}
      <PartTabs parts={parts} part={part} onChange={choose} />
      {one && other && part === undefined && <div className="pane-empty"><p>{texts.diff.same}</p></div>}
      {one && other && part !== undefined && (
        <>
          <p className="side-heads"><b>{nameOf(from)}</b><b>{nameOf(to)}</b></p>
          <Suspense fallback={<div className="editor" />}>
            <SideBySide
              name={`${part} ${from} ${to}`}
              language={LANGUAGE_OF[part]}
              left={{ label: nameOf(from), text: one[part] }}
              right={{ label: nameOf(to), text: other[part] }}
            />
          </Suspense>
        </>
      )}
    </section>
  );
}

/** The parts of a source that differ, to choose one. */
export function PartTabs({ parts, part, onChange }: { parts: readonly SourcePart[]; part: SourcePart | undefined; onChange: (part: SourcePart) => void }) {
  if (parts.length === 0) return null;
  return (
    <div className="part-tabs">
      <div className="segments" role="group" aria-label={texts.diff.part}>
        {parts.map((each) => <button key={each} type="button" aria-pressed={each === part} onClick={() => onChange(each)}>{texts.template.tabs[each]}</button>)}
      </div>
    </div>
  );
}

function useSource(id: string, name: VersionName) {
  const { key } = useKey();
  const draft = useQuery({ ...draftOf(key ?? '', id), enabled: name === 'draft' });
  const version = useQuery({ ...oneVersion(key ?? '', id, name === 'draft' ? 0 : name), enabled: name !== 'draft' });
  return name === 'draft' ? draft : version;
}

function VersionChoice({ label, template, value, onChange }: { label: string; template: Template; value: VersionName; onChange: (value: VersionName) => void }) {
  const newest = template.live_version?.number ?? 0;
  return (
    <label className="filter">
      <span>{label}</span>
      <select className="input" value={value} onChange={(event) => onChange(event.target.value === 'draft' ? 'draft' : Number(event.target.value))}>
        <option value="draft">{texts.diff.draft}</option>
        {Array.from({ length: newest }, (_, index) => newest - index).map((number) => <option key={number} value={number}>{texts.diff.version(number)}</option>)}
      </select>
    </label>
  );
}

function nameOf(name: VersionName): string {
  return name === 'draft' ? texts.diff.draft : texts.diff.version(name);
}
