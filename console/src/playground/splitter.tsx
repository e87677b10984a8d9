import { type KeyboardEvent, type PointerEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';

type Widths = { sources: number; inspector: number };

const STORED = 'platen.widths';
const USUAL: Widths = { sources: 36, inspector: 22 };
const MIN = 16;
const MAX = 60;
const STEP = 2;

/** Widths of the panes in percent of the playground. */
export function useWidths() {
  const box = useRef<HTMLDivElement>(null);
  const [widths, setWidths] = useState<Widths>(() => ({ ...USUAL, ...(JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<Widths>) }));
  useLayoutEffect(() => {
    box.current?.style.setProperty('--sources', `${widths.sources}%`);
    box.current?.style.setProperty('--inspector', `${widths.inspector}%`);
    sessionStorage.setItem(STORED, JSON.stringify(widths));
  }, [widths]);
  const resize = useCallback((next: Partial<Widths>) => setWidths((before) => ({ ...before, ...next })), []);
  return { box, widths, resize };
}

type Props = { label: string; value: number; isReversed?: boolean; onChange: (value: number) => void };

/** A divider that is dragged, or moved with the arrow keys. */
export function Splitter({ label, value, isReversed = false, onChange }: Props) {
  const sign = isReversed ? -1 : 1;
  const change = (next: number) => onChange(Math.round(Math.min(MAX, Math.max(MIN, next)) * 10) / 10);
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1 || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const whole = event.currentTarget.parentElement?.clientWidth ?? 1;
    change(value + (sign * event.movementX * 100) / whole);
  };
  const move = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    change(value + sign * direction * STEP);
  };
  return (
    <div
      className="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(value)}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={move}
      onDoubleClick={() => onChange(isReversed ? USUAL.inspector : USUAL.sources)}
    />
  );
}
