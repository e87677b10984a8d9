import { texts } from '../texts.ts';
import { shownShare } from './shares.ts';
import { listedPages, stateOf } from './changes.ts';
import type { ComparedPage } from './queries.ts';
import type { Order } from './search.ts';

type Props = { pages: readonly ComparedPage[]; page: number; order: Order | undefined; onPage: (page: number) => void; onOrder: (order: Order | undefined) => void };

const ORDERS = [undefined, 'first', 'only'] as const;

/** The pages with the share of each that has changed. */
export function PageList({ pages, page, order, onPage, onOrder }: Props) {
  const listed = listedPages(pages, order);
  return (
    <nav className="cmp-pages" aria-label={texts.pages.list}>
      <div className="segments" role="group" aria-label={texts.compare.order}>
        {ORDERS.map((each) => (
          <button key={each ?? 'all'} type="button" aria-pressed={each === order} onClick={() => onOrder(each)}>{texts.compare.orders[each ?? 'all']}</button>
        ))}
      </div>
      {listed.length === 0 && <p className="quiet">{texts.compare.noPages}</p>}
      <ol>
        {listed.map((each) => {
          const state = stateOf(each);
          return (
            <li key={each.page}>
              <button type="button" className={`cmp-page ${state}`} aria-current={each.page === page} onClick={() => onPage(each.page)}>
                <span>{texts.compare.page(each.page)}</span>
                <span className="cmp-state">{state === 'changed' ? shownShare(each.changed) : texts.compare.states[state]}</span>
                <span className="cmp-bar" aria-hidden="true"><i style={{ width: `${each.changed === 0 ? 0 : Math.max(2, each.changed * 100)}%` }} /></span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
