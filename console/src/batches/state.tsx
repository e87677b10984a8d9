import { texts } from '../texts.ts';
import { StatusMark } from '../ui/status.tsx';
import type { Batch } from './queries.ts';
import type { ItemStatus } from './search.ts';

const BATCH_MARKS = { queued: 'queued', processing: 'processing', completed: 'succeeded', failed: 'failed', canceled: 'canceled' } as const;
const ITEM_MARKS = { pending: 'queued', queued: 'processing', succeeded: 'succeeded', failed: 'failed', canceled: 'canceled' } as const;

/** The state of a batch; one that is paused says so. */
export function BatchState({ batch }: { batch: Batch }) {
  if (batch.paused) return <StatusMark status="queued" word={texts.batches.paused} />;
  return <StatusMark status={BATCH_MARKS[batch.status]} word={texts.batches.status[batch.status]} />;
}

export function ItemState({ status }: { status: ItemStatus }) {
  return <StatusMark status={ITEM_MARKS[status]} word={texts.batch.items[status]} />;
}
