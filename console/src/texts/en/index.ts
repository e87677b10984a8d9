import { documents } from './documents.ts';
import { frame } from './frame.ts';
import { invoiceCodes } from './invoice-codes.ts';
import { invoiceRules } from './invoice-rules.ts';
import { invoices } from './invoices.ts';
import { playground } from './playground.ts';
import { renders } from './renders.ts';

/** All texts in English. */
export const english = {
  ...frame,
  ...documents,
  ...invoices,
  ...invoiceCodes,
  ...invoiceRules,
  ...playground,
  ...renders,
} as const;
