import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'waiting' | 'plain';

const SHAPES: Record<Tone, string> = {
  good: 'M2.500 6.500 5 9l4.500-5.500',
  bad: 'M3 3l6 6M9 3 3 9',
  waiting: 'M6 2.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7z',
  plain: 'M2.500 6h7',
};
// The classes of the states of a render have the colours.
const CLASSES: Record<Tone, string> = { good: 'succeeded', bad: 'failed', waiting: 'queued', plain: 'canceled' };

/** A state as word, colour and shape. */
export function Mark({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`status ${CLASSES[tone]}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true"><path d={SHAPES[tone]} /></svg>
      {children}
    </span>
  );
}
