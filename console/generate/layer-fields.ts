import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import { formFields, type Schema } from './form-fields.ts';

const MODULE = 'virtual:layers';

/** The fields of a scene and of its layers, by their type, made from the OpenAPI document. */
export function layerFields(file: string): Plugin {
  return {
    name: 'platen:layers',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    async load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      this.addWatchFile(file);
      const document = JSON.parse(await readFile(file, 'utf-8'));
      return `export default ${JSON.stringify(fieldsByType(document.components.schemas))}`;
    },
  };
}

function fieldsByType(schemas: Record<string, Schema & { discriminator?: { mapping: Record<string, string> } }>) {
  const { fields } = formFields(schemas);
  const propertiesOf = (name: string) => {
    const properties = schemas[name]?.properties;
    if (!properties) throw new Error(`the OpenAPI document has no ${name}`);
    const { type: _type, layers: _layers, ...own } = properties;
    return fields(own, '');
  };
  const types = Object.entries(schemas.Layer?.discriminator?.mapping ?? {});
  if (types.length === 0) throw new Error('the OpenAPI document has no Layer with types');
  return Object.fromEntries([
    ['scene', propertiesOf('Scene')],
    ...types.map(([type, reference]) => [type, propertiesOf(reference.split('/').at(-1) ?? '')]),
  ]);
}
