import { compare } from './compare.ts';
import { batches } from './batches.ts';
import { deliveries } from './deliveries.ts';
import { documents } from './documents.ts';
import { frame } from './frame.ts';
import { invoiceCodes } from './invoice-codes.ts';
import { invoiceRules } from './invoice-rules.ts';
import { invoices } from './invoices.ts';
import { playground } from './playground.ts';
import { renders } from './renders.ts';
import { tools } from './tools.ts';
import { templates } from './templates.ts';
import { usage } from './usage.ts';
import { scene } from './scene.ts';

/** All texts in English. */
export const english = {
  ...frame,
  ...documents,
  ...invoices,
  ...invoiceCodes,
  ...invoiceRules,
  ...playground,
  ...renders,
  ...tools,
  ...templates,
  ...compare,
  ...batches,
  ...usage,
  ...scene,
  deliveries,
} as const;
