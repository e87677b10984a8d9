import { useState } from 'react';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';
import { WithCode } from '../ui/with-code.tsx';
import { causesOf, failuresCsv } from './causes.ts';
import type { Batch, BatchItem } from './queries.ts';

const MOST_CAUSES = 5;

type Props = {
  batch: Batch;
  /** The failed items that are known. */
  items: readonly BatchItem[];
  onSelect: (index: number) => void;
};

/** The causes of failures with their counts, and the failures as a file. */
export function Failures({ batch, items, onSelect }: Props) {
  const [isAll, setAll] = useState(false);
  const causes = causesOf(items);
  if (causes.length === 0) return null;
  const download = async () => {
    const url = URL.createObjectURL(await failuresCsv(items));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${batch.id}-failures.csv`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <section className="failures" aria-label={texts.batch.failures}>
      <div className="section-head">
        <h2>{texts.batch.failures}</h2>
        {items.length < batch.failed && <span className="quiet">{texts.batch.failuresKnown(shownNumber(items.length), shownNumber(batch.failed))}</span>}
        <span className="spacer" />
        <button type="button" className="link" onClick={() => void download()}>{texts.batch.download}</button>
      </div>
      <ol>
        {(isAll ? causes : causes.slice(0, MOST_CAUSES)).map((cause) => (
          <li key={`${cause.code} ${cause.message}`} className="cause">
            <b className="figure">{shownNumber(cause.items.length)}&thinsp;×</b>
            <span className="cause-words"><WithCode text={cause.message} /> <code>{cause.code}</code></span>
            <span className="cause-items">
              {cause.items.slice(0, 3).map(({ index }) => (
                <button key={index} type="button" className="link" onClick={() => onSelect(index)} aria-label={texts.batch.item(index)}>{shownNumber(index + 1)}</button>
              ))}
              {cause.items.length > 3 && '…'}
            </span>
          </li>
        ))}
      </ol>
      {causes.length > MOST_CAUSES && !isAll && <button type="button" className="link" onClick={() => setAll(true)}>{texts.batch.moreCauses(causes.length - MOST_CAUSES)}</button>}
    </section>
  );
}
