/** An option of a render as a field of the form; `path` is its place in `output`. */
export type OptionField = {
  name: string;
  path: string;
  description: string;
  isNullable: boolean;
  usual?: string;
} & (
  | { kind: 'group'; fields: OptionField[] }
  | { kind: 'choice'; values: string[] }
  | { kind: 'integer' | 'number'; min?: number; max?: number }
  | { kind: 'switch' | 'text' | 'long' | 'texts' | 'json' }
);
