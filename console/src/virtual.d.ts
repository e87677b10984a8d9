declare module 'virtual:options' {
  import type { OptionField } from './playground/option-field.ts';
  /** Fields of each format's options, and of those that all have. */
  const fields: Record<'pdf' | 'picture' | 'all', OptionField[]>;
  export default fields;
}

declare module 'virtual:layers' {
  import type { OptionField } from './playground/option-field.ts';
  /** The fields of each type of layer of a canvas, and of the scene itself. */
  const fields: Record<string, OptionField[]>;
  export default fields;
}

declare module 'virtual:providers' {
  import type { Provider } from './deliveries/provider-field.ts';
  export const emails: Provider[];
  export const stores: Provider[];
}

declare module 'virtual:examples' {
  type Example = {
    html: string;
    css: string;
    header: string;
    footer: string;
    data: string;
    options: Record<string, unknown>;
  };
  const list: { name: string; title: string; shows: string; picture: string; load: () => Promise<{ default: Example }> }[];
  export default list;
}

declare module 'virtual:tools' {
  const forms: unknown;
  export default forms;
}

declare module 'virtual:invoice-form' {
  import type { InvoiceSection } from './invoices/invoice-field.ts';
  const sections: InvoiceSection[];
  export default sections;
}

declare module 'virtual:invoice-examples' {
  import type { JsonObject } from './invoices/invoice-field.ts';
  export const invoices: { name: string; title: string; profile: string; invoice: JsonObject }[];
  /** The XML of an invoice. */
  export const received: string;
}
