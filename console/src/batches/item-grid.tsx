import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';
import { MAX_SQUARES } from './items.ts';
import type { BatchItem } from './queries.ts';
import type { ItemStatus } from './search.ts';
import { ItemState } from './state.tsx';

type Props = {
  items: readonly BatchItem[];
  total: number;
  selected: number | undefined;
  onSelect: (index: number) => void;
};

const GAP = 2;
const COLOURS: Record<ItemStatus, string> = { succeeded: '--good', failed: '--bad', queued: '--waiting', pending: '--line-strong', canceled: '--faint' };

/** A square for each item, on one canvas: the pointer or the arrow keys move over them, Enter opens one. */
export function ItemGrid({ items, total, selected, onSelect }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const scheme = useScheme();
  const [hovered, setHovered] = useState<number | null>(null);
  const size = items.length <= 120 ? 18 : items.length <= 600 ? 13 : 10;
  const columns = Math.max(1, Math.floor((width + GAP) / (size + GAP)));
  const height = Math.ceil(items.length / columns) * (size + GAP);
  const current = Math.min(hovered ?? selected ?? 0, items.length - 1);
  const item = items[current];

  useEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const scale = devicePixelRatio;
    element.width = Math.round(width * scale);
    element.height = Math.round(height * scale);
    const pen = element.getContext('2d');
    if (!pen) return;
    pen.scale(scale, scale);
    const styles = getComputedStyle(element);
    for (const [at, { status }] of items.entries()) {
      pen.fillStyle = pen.strokeStyle = styles.getPropertyValue(COLOURS[status]);
      square(pen, status, (at % columns) * (size + GAP), Math.floor(at / columns) * (size + GAP), size);
    }
    if (selected !== undefined && selected < items.length) mark(pen, styles.getPropertyValue('--text'), selected, columns, size);
    if (hovered !== null && hovered < items.length) mark(pen, styles.getPropertyValue('--accent'), hovered, columns, size);
  }, [items, width, height, columns, size, selected, hovered, scheme]);

  const at = (event: PointerEvent): number | null => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const column = Math.floor((event.clientX - left) / (size + GAP));
    const index = Math.floor((event.clientY - top) / (size + GAP)) * columns + column;
    return column < columns && index >= 0 && index < items.length ? index : null;
  };
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -items.length, End: items.length };
    const step = steps[event.key];
    if (event.key === 'Enter') onSelect(current);
    else if (step === undefined) return;
    else setHovered(Math.max(0, Math.min(items.length - 1, current + step)));
    event.preventDefault();
  };
  if (item === undefined) return null;
  return (
    <section className="item-grid" aria-label={texts.batch.grid}>
      <div
        role="slider"
        tabIndex={0}
        aria-label={texts.batch.gridLabel}
        aria-valuemin={1}
        aria-valuemax={items.length}
        aria-valuenow={current + 1}
        aria-valuetext={`${texts.batch.item(item.index)}, ${wordsOf(item)}`}
        onKeyDown={move}
        onBlur={() => setHovered(null)}
      >
        <canvas
          ref={canvas}
          aria-hidden="true"
          style={{ height }}
          onPointerMove={(event) => setHovered(at(event))}
          onPointerLeave={() => setHovered(null)}
          onClick={() => hovered !== null && onSelect(hovered)}
        />
      </div>
      <p className="item-line">
        {hovered === null ? (
          <span className="quiet">{items.length < Math.min(total, MAX_SQUARES) ? texts.batch.gridLoading(shownNumber(items.length), shownNumber(total)) : total > items.length ? texts.batch.gridFirst(shownNumber(items.length), shownNumber(total)) : texts.batch.gridHint}</span>
        ) : (
          <><b>{texts.batch.item(item.index)}</b><ItemState status={item.status} /><span className="item-words">{item.reference ?? item.filename ?? ''}{item.error && ` ${item.error.message}`}</span></>
        )}
      </p>
    </section>
  );
}

function wordsOf(item: BatchItem): string {
  const name = item.reference ?? item.filename;
  return [texts.batch.items[item.status], name, item.error?.message].filter(Boolean).join(', ');
}

/** Each state has a shape beside its colour: full, crossed, half, hollow, a dash. */
function square(pen: CanvasRenderingContext2D, status: ItemStatus, x: number, y: number, size: number): void {
  if (status === 'pending') {
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  } else if (status === 'queued') {
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
    pen.fillRect(x, y + size / 2, size, size / 2);
  } else if (status === 'canceled') {
    pen.fillRect(x + 2, y + size / 2 - 1, size - 4, 2);
  } else {
    pen.fillRect(x, y, size, size);
    if (status === 'failed') {
      pen.save();
      pen.globalCompositeOperation = 'destination-out';
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(x + 3, y + 3);
      pen.lineTo(x + size - 3, y + size - 3);
      pen.moveTo(x + size - 3, y + 3);
      pen.lineTo(x + 3, y + size - 3);
      pen.stroke();
      pen.restore();
    }
  }
}

function mark(pen: CanvasRenderingContext2D, colour: string, index: number, columns: number, size: number): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.strokeRect((index % columns) * (size + GAP), Math.floor(index / columns) * (size + GAP), size, size);
}

function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const watch = new ResizeObserver(() => setWidth(target.clientWidth));
    watch.observe(target);
    return () => watch.disconnect();
  }, [element]);
  return width;
}

/** Changes with the scheme of colours, whose colours a canvas does not follow by itself. */
function useScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const change = () => setDark(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return isDark;
}
