import { useMemo } from 'react';
import type { Remark } from '../editor/code-editor.tsx';
import { texts } from '../texts.ts';
import { WithCode } from '../ui/with-code.tsx';
import type { DataFault, Draft } from './model.ts';
import { type Place, placeOfProblem, type Warning } from './places.ts';
import type { Preview } from './preview.ts';
import type { Source } from './search.ts';

type Props = {
  warnings: readonly Warning[];
  /** The line of each warning, or null. */
  places: readonly (Place | null)[];
  onPlace: (place: Place) => void;
  /** The warning that somebody points to, or null. */
  onPoint: (warning: Warning | null) => void;
};

/** Warnings; one leads to its line, and shows its place on the page while it is pointed to. */
export function Warnings({ warnings, places, onPlace, onPoint }: Props) {
  if (warnings.length === 0) return <p className="quiet">{texts.play.noWarnings}</p>;
  return (
    <ul className="remarks" onPointerLeave={() => onPoint(null)}>
      {warnings.map((warning, number) => {
        const place = places[number];
        return (
          <li
            key={`${number} ${warning.code}`}
            className="remark warning"
            onPointerEnter={() => onPoint(warning)}
            onFocus={() => onPoint(warning)}
            onBlur={() => onPoint(null)}
          >
            <code>{warning.code}</code>
            <p><WithCode text={warning.message} /></p>
            {place
              ? <button type="button" className="link" onClick={() => onPlace(place)}>{warning.detail ?? texts.play.goToLine(place.line)}</button>
              : warning.detail && <button type="button" className="link plain-link"><code>{warning.detail}</code></button>}
          </li>
        );
      })}
    </ul>
  );
}

/** Remarks of one source: errors of data and templates, and warnings, at their lines. */
export function useRemarks(tab: string, draft: Draft, preview: Preview, places: readonly (Place | null)[], fault: DataFault | null): Remark[] {
  const { problem, render } = preview;
  return useMemo(() => {
    const found: Remark[] = [];
    const add = (place: Place | null, message: string, level: Remark['level']) => {
      if (place?.source === (tab as Source)) found.push({ ...place, message, level });
    };
    if (tab === 'data' && fault) found.push({ ...fault, level: 'error' });
    if (problem) add(placeOfProblem(draft, problem), problem.detail, 'error');
    for (const [number, warning] of (problem ? [] : (render?.warnings ?? [])).entries()) add(places[number] ?? null, warning.message, 'warning');
    return found;
    // The draft is the one that was rendered, as for the places.
  }, [tab, problem, render, places, fault]);
}
