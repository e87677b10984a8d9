import { deliveries } from './deliveries.ts';
import { documents } from './documents.ts';
import { frame } from './frame.ts';
import { playground } from './playground.ts';
import { renders } from './renders.ts';

/** All texts in English. */
export const english = {
  ...frame,
  ...documents,
  ...playground,
  ...renders,
  deliveries,
} as const;
