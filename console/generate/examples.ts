import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const LIST = 'virtual:examples';
const ONE = 'virtual:example/';
const ROW = /^\| \[([\w-]+)\]\([\w-]+\) \| ([^|]+) \|/gm;

/** The documents of examples/ that are HTML: a list, and a module of each that is loaded on demand. */
export function examples(folder: string): Plugin {
  return {
    name: 'platen:examples',
    resolveId: (id) => (id === LIST || id.startsWith(ONE) ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${LIST}`) return listModule(folder);
      if (id.startsWith(`\0${ONE}`)) return exampleModule(join(folder, id.slice(ONE.length + 1)));
      return undefined;
    },
  };
}

async function listModule(folder: string): Promise<string> {
  const rows = [...(await readFile(join(folder, 'README.md'), 'utf-8')).matchAll(ROW)];
  const names = await readdir(folder, { recursive: true });
  const entries = rows
    .filter(([, name]) => names.includes(`${name}/template.html`))
    .map(([, name, title]) => {
      const load = `() => import(${JSON.stringify(ONE + name)})`;
      return `{ name: ${JSON.stringify(name)}, title: ${JSON.stringify(title?.trim())}, load: ${load} }`;
    });
  if (entries.length === 0) throw new Error('examples/README.md lists no example');
  return `export default [${entries.join(', ')}]`;
}

async function exampleModule(folder: string): Promise<string> {
  const text = (name: string) => readFile(join(folder, name), 'utf-8').catch(absent);
  const example = {
    html: await text('template.html'),
    css: await text('style.css'),
    header: await text('header.html'),
    footer: await text('footer.html'),
    data: await text('data.json'),
    options: JSON.parse(await text('options.json')),
  };
  return `export default ${JSON.stringify(example)}`;
}

function absent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
