/** A field of the invoice, as the contract describes it; `path` has `[]` where a list has entries. */
export type InvoiceField = {
  name: string;
  path: string;
  /** Number in EN 16931, such as BT-27 or BG-4; empty if the standard has none. */
  term: string;
  description: string;
  isRequired: boolean;
  /** Whether one of the examples has it. The others are behind "More fields". */
  isUsual: boolean;
  /** What the service takes for an absent value. */
  usual?: string;
} & (
  | { kind: 'group' | 'list'; fields: InvoiceField[] }
  | { kind: 'map'; keys: string[]; fields: InvoiceField[] }
  | { kind: 'choice'; values: string[] }
  | { kind: 'text' | 'long' | 'date' | 'decimal' }
);

export type GroupField = Extract<InvoiceField, { fields: InvoiceField[] }>;

/** A part of the form; its name is that of its group, or of what it has fields of. */
export type InvoiceSection = { name: string; term: string; fields: InvoiceField[] };

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
