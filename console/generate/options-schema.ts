import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import type { OptionField } from '../src/playground/option-field.ts';

const MODULE = 'virtual:options';
/** Members of `output` that other parts of the playground decide. */
const ELSEWHERE = new Set(['format', 'formats', 'image', 'pdf', 'fail_on']);
/** Two names of one option, and what all formats have already. */
const TWICE = new Set(['image.omit_background', 'image.viewport', 'image.wait']);
/** What the tabs Header and Footer hold. */
const IN_TABS = new Set(['pdf.header.html', 'pdf.header.enabled', 'pdf.footer.html', 'pdf.footer.enabled']);

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
};

/** The options of a render as fields of a form, made from the OpenAPI document. */
export function optionsSchema(file: string): Plugin {
  return {
    name: 'platen:options',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    async load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      this.addWatchFile(file);
      const document = JSON.parse(await readFile(file, 'utf-8'));
      return `export default ${JSON.stringify(fieldsOf(document.components.schemas))}`;
    },
  };
}

function fieldsOf(schemas: Record<string, Schema>): Record<'pdf' | 'picture' | 'all', OptionField[]> {
  const named = (schema: Schema): Schema => {
    if (!schema.$ref) return schema;
    const target = schemas[schema.$ref.split('/').at(-1) ?? ''];
    if (!target) throw new Error(`unknown schema ${schema.$ref}`);
    return { ...named(target), ...(schema.description ? { description: schema.description } : {}) };
  };
  const field = (name: string, path: string, given: Schema): OptionField => {
    const whole = named(given);
    const branches = (whole.oneOf ?? []).map(named);
    const isNullable = branches.some((each) => each.type === 'null') || types(whole).includes('null');
    const others = branches.filter((each) => each.type !== 'null');
    const only = others.length === 1 ? others[0] : undefined;
    const schema = only ? { ...only, description: whole.description ?? only.description ?? '' } : whole;
    const description = (schema.description ?? '').replaceAll('\n', ' ');
    const usual = /Default: `([^`]*)`/.exec(description)?.[1];
    const base = { name, path, description, isNullable, ...(usual === undefined ? {} : { usual }) };
    if (schema.properties) {
      return { ...base, kind: 'group', fields: children(schema.properties, path) };
    }
    if (schema.enum) return { ...base, kind: 'choice', values: schema.enum };
    const kinds = types(schema);
    if (kinds.includes('boolean')) return { ...base, kind: 'switch' };
    const bounds = { ...bound('min', schema.minimum), ...bound('max', schema.maximum) };
    if (kinds.includes('integer')) return { ...base, kind: 'integer', ...bounds };
    if (kinds.includes('number')) return { ...base, kind: 'number', ...bounds };
    if (kinds.includes('string')) {
      return (schema.maxLength ?? 0) > 2000 ? { ...base, kind: 'long' } : { ...base, kind: 'text' };
    }
    const members = others.length > 1 ? others : [];
    if (members.some((each) => types(each).includes('boolean'))) return { ...base, kind: 'switch' };
    if (members.length > 0 && members.every((each) => types(each).includes('string'))) {
      return { ...base, kind: 'text' };
    }
    const items = schema.items ? named(schema.items) : undefined;
    if (items && types(items).includes('string')) return { ...base, kind: 'texts' };
    return { ...base, kind: 'json' };
  };
  const children = (properties: Record<string, Schema>, path: string): OptionField[] =>
    Object.entries(properties)
      .map(([name, schema]) => ({ name, schema, place: path ? `${path}.${name}` : name }))
      .filter(({ place }) => !IN_TABS.has(place) && !TWICE.has(place) && !(path === '' && ELSEWHERE.has(place)))
      .map(({ name, schema, place }) => field(name, place, schema));
  const output = schemas.OutputSpec?.properties;
  const pdf = schemas.PdfOptions?.properties;
  const image = schemas.ImageOptions?.properties;
  if (!output || !pdf || !image) throw new Error('the OpenAPI document has no OutputSpec, PdfOptions or ImageOptions');
  return { pdf: children(pdf, 'pdf'), picture: children(image, 'image'), all: children(output, '') };
}

function types(schema: Schema): string[] {
  return Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];
}

function bound(name: 'min' | 'max', value: number | undefined): Record<string, number> {
  return value === undefined ? {} : { [name]: value };
}
