import { compare } from './compare.ts';
import { documents } from './documents.ts';
import { frame } from './frame.ts';
import { playground } from './playground.ts';
import { renders } from './renders.ts';
import { tools } from './tools.ts';
import { templates } from './templates.ts';

/** All texts in English. */
export const english = {
  ...frame,
  ...documents,
  ...playground,
  ...renders,
  ...tools,
  ...templates,
  ...compare,
} as const;
