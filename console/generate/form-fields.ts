import type { OptionField } from '../src/playground/option-field.ts';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
};

type FormFields = {
  /** A schema with what its references lead to. */
  named: (schema: Schema) => Schema;
  /** The field of a form for the schema of a member. */
  field: (name: string, path: string, schema: Schema) => OptionField;
  /** The fields for the members of an object, which is at a path. */
  fields: (properties: Record<string, Schema>, path: string) => OptionField[];
};

/** What makes fields of forms from the schemas of the OpenAPI document; `isElsewhere` leaves some out. */
export function formFields(schemas: Record<string, Schema>, isElsewhere: (path: string, name: string) => boolean = () => false): FormFields {
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
    // One of several objects, such as a text or a picture: the form has the members of all of them.
    const isOneOfObjects = others.length > 1 && others.every((each) => each.properties);
    const properties = isOneOfObjects ? Object.assign({}, ...others.map((each) => each.properties)) : schema.properties;
    if (properties) return { ...base, kind: 'group', fields: fields(properties, path) };
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
  const fields = (properties: Record<string, Schema>, path: string): OptionField[] =>
    Object.entries(properties)
      .map(([name, schema]) => ({ name, schema, place: path ? `${path}.${name}` : name }))
      .filter(({ name, place }) => !isElsewhere(place, name))
      .map(({ name, schema, place }) => field(name, place, schema));
  return { named, field, fields };
}

function types(schema: Schema): string[] {
  return Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];
}

function bound(name: 'min' | 'max', value: number | undefined): Record<string, number> {
  return value === undefined ? {} : { [name]: value };
}
