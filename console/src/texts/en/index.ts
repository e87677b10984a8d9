import { batches } from './batches.ts';
import { documents } from './documents.ts';
import { frame } from './frame.ts';
import { playground } from './playground.ts';
import { renders } from './renders.ts';
import { usage } from './usage.ts';

/** All texts in English. */
export const english = {
  ...frame,
  ...documents,
  ...playground,
  ...renders,
  ...batches,
  ...usage,
} as const;
