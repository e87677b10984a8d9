import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import type { OptionField } from '../src/playground/option-field.ts';
import { BY_HAND, type Tool, TOOLS } from '../src/tools/tool-list.ts';
import { formFields, type Schema } from './form-fields.ts';

const MODULE = 'virtual:tools';
/** What all renders have, and what the left side of the view stands for. */
const COMMON = new Set(['source', 'sources', 'mode', 'priority', 'timeout_behavior', 'test', 'fail_on', 'webhook', 'webhook_url', 'metadata', 'reference', 'delivery', 'engine', 'version', 'storage', 'email']);

type ToolForm = { description: string; fields: OptionField[] };
type Operation = { requestBody: { content: { 'application/json': { schema: Schema } } } };

/** What each tool does, and its options as fields of a form, made from the OpenAPI document. */
export function toolsSchema(file: string): Plugin {
  return {
    name: 'platen:tools',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    async load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      this.addWatchFile(file);
      const { paths, components } = JSON.parse(await readFile(file, 'utf-8'));
      const forms = TOOLS.map((tool) => [tool, formOf(tool, paths[`/v1/pdf-tools/${tool}`].post, components.schemas)]);
      return `export default ${JSON.stringify(Object.fromEntries(forms))}`;
    },
  };
}

function formOf(tool: Tool, operation: Operation, schemas: Record<string, Schema>): ToolForm {
  const { named, fields } = formFields(schemas, (path, name) => path === name && (COMMON.has(name) || BY_HAND.has(`${tool}.${name}`)));
  const body = named(operation.requestBody.content['application/json'].schema);
  const branches = body.oneOf ? body.oneOf.map(named) : [body];
  const properties = Object.assign({}, ...branches.map((each) => each.properties)) as Record<string, Schema>;
  return { description: (body.description ?? '').replaceAll('\n', ' '), fields: fields(properties, '') };
}
