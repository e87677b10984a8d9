import { texts } from '../texts.ts';
import { piecesOf } from './changes.ts';
import type { TextChange } from './queries.ts';

type Props = { changes: readonly TextChange[]; page: number; onPage: (page: number) => void };

/** What has become of the text, in reading order; one press goes to the page. */
export function TextChanges({ changes, page, onPage }: Props) {
  return (
    <section className="cmp-texts" aria-labelledby="cmp-texts-title">
      <h2 id="cmp-texts-title">{texts.compare.texts} <span className="count">{changes.length}</span></h2>
      {changes.length === 0 && <p className="quiet">{texts.compare.noTexts}</p>}
      <ol>
        {changes.map((change, number) => (
          // Two changes may say the same.
          <li key={`${number} ${change.page}`}>
            <button type="button" className="cmp-text" aria-current={change.page === page} onClick={() => onPage(change.page)}>
              <span className="cmp-text-head">
                <b className={`cmp-kind ${change.kind}`}>{texts.compare.kinds[change.kind]}</b>
                <span className="quiet">{texts.compare.page(change.page)}</span>
              </span>
              {change.from !== null && <del><Pieces text={change.from} other={change.to} /></del>}
              {change.to !== null && <ins><Pieces text={change.to} other={change.from} /></ins>}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Pieces({ text, other }: { text: string; other: string | null }) {
  if (other === null) return <>{text}</>;
  return <>{piecesOf(text, other).map((piece, number) => (piece.differs ? <mark key={number}>{piece.text}</mark> : <span key={number}>{piece.text}</span>))}</>;
}
