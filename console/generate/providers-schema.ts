import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import type { Provider, ProviderField } from '../src/deliveries/provider-field.ts';
import type { OptionField } from '../src/playground/option-field.ts';
import { formFields, type Schema } from './form-fields.ts';

const MODULE = 'virtual:providers';

/** The settings and credentials of each email provider and store, made from the OpenAPI document. */
export function providersSchema(file: string): Plugin {
  return {
    name: 'platen:providers',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    async load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      this.addWatchFile(file);
      const { schemas } = JSON.parse(await readFile(file, 'utf-8')).components;
      const emails = providersOf(schemas, 'EmailConnectionRequest');
      const stores = providersOf(schemas, 'StorageDestinationRequest');
      return `export const emails = ${JSON.stringify(emails)};\nexport const stores = ${JSON.stringify(stores)};`;
    },
  };
}

/** What is null in a request is an empty field of the form. */
function inWordsOfForms(field: OptionField): OptionField {
  const description = field.description.replaceAll('null or empty:', 'empty:').replaceAll('Null:', 'Empty:').replaceAll('null:', 'empty:');
  return { ...field, description };
}

function providersOf(schemas: Record<string, Schema>, name: string): Provider[] {
  const { named, field } = formFields(schemas);
  const fields = (schema: Schema | undefined, path: string): ProviderField[] =>
    Object.entries(schema?.properties ?? {}).map(([key, each]) => ({
      ...inWordsOfForms(field(key, `${path}.${key}`, each)),
      isRequired: schema?.required?.includes(key) ?? false,
      ...(named(each).maxLength === undefined ? {} : { maxLength: named(each).maxLength as number }),
    }));
  /** The forms that an object may have; null is none of them. */
  const forms = (schema: Schema | undefined): Schema[] => {
    if (!schema) return [];
    const whole = named(schema);
    if (!whole.oneOf) return whole.type === 'null' ? [] : [whole];
    return whole.oneOf.flatMap(forms);
  };
  const requests = schemas[name]?.oneOf ?? [];
  if (requests.length === 0) throw new Error(`the OpenAPI document has no variants of ${name}`);
  return requests.map((request) => {
    const { properties = {} } = named(request);
    const provider = properties.provider?.const;
    if (typeof provider !== 'string') throw new Error(`a variant of ${name} has no provider`);
    return {
      name: provider,
      settings: forms(properties.config).flatMap((each) => fields(each, 'config')),
      credentials: forms(properties.credentials).map((each) => fields(each, 'credentials')),
    };
  });
}
