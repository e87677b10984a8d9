import type { components } from 'contract';
import { texts } from '../texts.ts';

export type RenderStatus = components['schemas']['RenderStatus'];

const SHAPES: Record<RenderStatus, string> = {
  queued: 'M6 2.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7z',
  processing: 'M6 2.500a3.500 3.500 0 0 1 0 7z M6 2.500a3.500 3.500 0 1 0 0 7',
  succeeded: 'M2.500 6.500 5 9l4.500-5.500',
  failed: 'M3 3l6 6M9 3 3 9',
  canceled: 'M2.500 6h7',
};

/** The state of a render as word, colour and shape. */
export function Status({ status }: { status: RenderStatus }) {
  return <StatusMark status={status} word={texts.renders.status[status]} />;
}

/** A word with the colour and the shape of a state. */
export function StatusMark({ status, word }: { status: RenderStatus; word: string }) {
  return (
    <span className={`status ${status}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true"><path d={SHAPES[status]} /></svg>
      {word}
    </span>
  );
}
