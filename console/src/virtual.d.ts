declare module 'virtual:options' {
  import type { OptionField } from './playground/option-field.ts';
  const fields: OptionField[];
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
  const list: { name: string; title: string; load: () => Promise<{ default: Example }> }[];
  export default list;
}
