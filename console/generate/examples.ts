import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const LIST = 'virtual:examples';
const ONE = 'virtual:example/';
const ROW = /^\| \[([\w-]+)\]\([\w-]+\) \| ([^|]+) \| ([^|]+) \|/gm;

/**
 * The documents of examples/ that are HTML: a list, and a module of each that is loaded on demand.
 * `pictures` has their first pages.
 */
export function examples(folder: string, pictures: string): Plugin {
  return {
    name: 'platen:examples',
    resolveId: (id) => (id === LIST || id.startsWith(ONE) ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${LIST}`) return listModule(folder, pictures);
      if (id.startsWith(`\0${ONE}`)) return exampleModule(join(folder, id.slice(ONE.length + 1)));
      return undefined;
    },
  };
}

async function listModule(folder: string, pictures: string): Promise<string> {
  const rows = [...(await readFile(join(folder, 'README.md'), 'utf-8')).matchAll(ROW)];
  const names = await readdir(folder, { recursive: true });
  const listed = rows.filter(([, name]) => names.includes(`${name}/template.html`));
  const entries = listed.map(([, name, title, shows], number) => {
      const texts = JSON.stringify({ name, title: sentence(title), shows: sentence(shows) });
      return `{ ...${texts}, picture: picture${number}, load: () => import(${JSON.stringify(ONE + name)}) }`;
    });
  if (entries.length === 0) throw new Error('examples/README.md lists no example');
  const imports = listed.map(([, name], number) => `import picture${number} from ${JSON.stringify(join(pictures, `${name}.png?url`))};`);
  return `${imports.join('\n')}\nexport default [${entries.join(', ')}]`;
}

/** A cell of the table as the beginning of a sentence. */
function sentence(cell = ''): string {
  const text = cell.replaceAll('`', '').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
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
