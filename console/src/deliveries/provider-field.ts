import type { OptionField } from '../playground/option-field.ts';

export type ProviderField = OptionField & { isRequired: boolean; maxLength?: number };

/** An email provider or a store; `credentials` are the ways to log in, of which one is used. */
export type Provider = { name: string; settings: ProviderField[]; credentials: ProviderField[][] };
