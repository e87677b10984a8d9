import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import type { OptionField } from '../src/playground/option-field.ts';
import { formFields, type Schema } from './form-fields.ts';

const MODULE = 'virtual:options';
/** Members of `output` that other parts of the playground decide. */
const ELSEWHERE = new Set(['format', 'formats', 'image', 'pdf', 'fail_on']);
/** Two names of one option, and what all formats have already. */
const TWICE = new Set(['image.omit_background', 'image.viewport', 'image.wait']);
/** What the tabs Header and Footer hold. */
const IN_TABS = new Set(['pdf.header.html', 'pdf.header.enabled', 'pdf.footer.html', 'pdf.footer.enabled']);

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
  const { fields } = formFields(schemas, (path, name) => IN_TABS.has(path) || TWICE.has(path) || (path === name && ELSEWHERE.has(path)));
  const output = schemas.OutputSpec?.properties;
  const pdf = schemas.PdfOptions?.properties;
  const image = schemas.ImageOptions?.properties;
  if (!output || !pdf || !image) throw new Error('the OpenAPI document has no OutputSpec, PdfOptions or ImageOptions');
  return { pdf: fields(pdf, 'pdf'), picture: fields(image, 'image'), all: fields(output, '') };
}
