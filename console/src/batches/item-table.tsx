import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';
import type { BatchItem } from './queries.ts';
import { ItemState } from './state.tsx';

const ROW = 36;

type Props = {
  items: readonly BatchItem[];
  /** What scrolls: the list is a part of it. */
  scroller: RefObject<HTMLElement | null>;
  selected: number | undefined;
  onSelect: (index: number) => void;
  /** The end of the list is in sight. */
  onEnd: () => void;
};

/** Items as rows, of which only those in sight exist. */
export function ItemTable({ items, scroller, selected, onSelect, onEnd }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const [list, frame] = [body.current, scroller.current];
    if (list && frame) setMargin(Math.round(list.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop));
  });
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
    scrollMargin: margin,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 1) onEnd();
  }, [last, items.length, onEnd]);

  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const at = Number((event.target as HTMLElement).dataset.at ?? Number.NaN);
    if (step === undefined || Number.isNaN(at) || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(items.length - 1, at + step));
    rows.scrollToIndex(next);
    // The row may have to be made first.
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus());
  };
  return (
    <div className="item-table" role="table" aria-label={texts.batch.list} aria-rowcount={items.length + 1}>
      <div role="row" className="item-row item-head" aria-rowindex={1}>
        <span role="columnheader" className="figure">{texts.batch.columns.index}</span>
        <span role="columnheader">{texts.batch.columns.status}</span>
        <span role="columnheader">{texts.batch.columns.name}</span>
        <span role="columnheader">{texts.batch.columns.error}</span>
      </div>
      <div ref={body} role="rowgroup" className="item-body" style={{ height: rows.getTotalSize() }} onKeyDown={onKey}>
        {shown.map(({ index: at, start }) => {
          const item = items[at] as BatchItem;
          const name = [item.reference, item.filename].filter(Boolean).join(' · ');
          return (
            <div key={item.index} role="row" aria-rowindex={at + 2} className={item.index === selected ? 'item-row selected' : 'item-row'} style={{ transform: `translateY(${start - margin}px)` }}>
              <span role="cell" className="figure">
                <button type="button" className="item-link" data-at={at} aria-current={item.index === selected || undefined} onClick={() => onSelect(item.index)}>{shownNumber(item.index + 1)}</button>
              </span>
              <span role="cell"><ItemState status={item.status} /></span>
              <span role="cell" className="item-name">{name || (item.render_id ? <code>{item.render_id}</code> : '')}</span>
              <span role="cell" className="item-error">{item.error && <><code>{item.error.code}</code> {item.error.message}</>}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
