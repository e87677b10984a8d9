declare module 'virtual:options' {
  import type { OptionField } from './playground/option-field.ts';
  /** Fields of each format's options, and of those that all have. */
  const fields: Record<'pdf' | 'picture' | 'all', OptionField[]>;
  export default fields;
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
