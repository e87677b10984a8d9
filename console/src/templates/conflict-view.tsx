import { lazy, Suspense, useState } from 'react';
import { texts } from '../texts.ts';
import { LANGUAGE_OF, differences, type Source, type SourcePart, sourceOf } from './source.ts';
import { PartTabs } from './diff-view.tsx';
import type { Conflict } from './use-edit.ts';

const SideBySide = lazy(() => import('../editor/side-by-side.tsx'));

type Props = { conflict: Conflict; isSaving: boolean; onKeep: (source: Source) => void; onDrop: () => void };

/** Two drafts that began from the same one: theirs at the left, mine at the right, to be merged. */
export function ConflictView({ conflict, isSaving, onKeep, onDrop }: Props) {
  const [mine, setMine] = useState(conflict.mine);
  const theirs = sourceOf(conflict.theirs);
  const parts = differences(theirs, conflict.mine);
  const [chosen, choose] = useState<SourcePart | undefined>(parts[0]);
  const part = chosen ?? parts[0];
  return (
    <section className="wide-pane" aria-label={texts.conflict.title}>
      <div className="conflict-head" role="alert">
        <h2>{texts.conflict.title}</h2>
        <p>{texts.conflict.lead(conflict.from, conflict.theirs.revision)}</p>
        <p className="dialog-foot">
          <button type="button" className="button" disabled={isSaving} onClick={onDrop}>{texts.conflict.takeTheirs}</button>
          <button type="button" className="button primary" disabled={isSaving} onClick={() => onKeep(mine)}>{texts.conflict.keepMine}</button>
        </p>
      </div>
      <PartTabs parts={parts} part={part} onChange={choose} />
      {part === undefined ? <p className="pane-note">{texts.conflict.same}</p> : (
        <>
          <p className="side-heads"><b>{texts.conflict.theirs}, {texts.template.draft(conflict.theirs.revision)}</b><b>{texts.conflict.mine}</b></p>
          <Suspense fallback={<div className="editor" />}>
            <SideBySide
              name={`${part} ${conflict.theirs.revision}`}
              language={LANGUAGE_OF[part]}
              left={{ label: texts.conflict.theirs, text: theirs[part] }}
              right={{ label: texts.conflict.mine, text: mine[part] }}
              onChange={(text) => setMine((before) => ({ ...before, [part]: text }))}
            />
          </Suspense>
        </>
      )}
    </section>
  );
}
