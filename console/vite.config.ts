import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { brotli } from './generate/brotli.ts';
import { examples } from './generate/examples.ts';
import { invoiceSchema } from './generate/invoice-schema.ts';
import { layerFields } from './generate/layer-fields.ts';
import { optionsSchema } from './generate/options-schema.ts';
import { providersSchema } from './generate/providers-schema.ts';
import { toolsSchema } from './generate/tools-schema.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// Relative addresses: the service puts the path of its host before those of the page.
export default defineConfig({
  base: './',
  plugins: [
    optionsSchema(`${root}infra/openapi.json`),
    layerFields(`${root}infra/openapi.json`),
    providersSchema(`${root}infra/openapi.json`),
    toolsSchema(`${root}infra/openapi.json`),
    examples(`${root}examples`, `${root}docs/images`),
    invoiceSchema(root),
    brotli(),
  ],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    license: { fileName: 'licenses.md' },
  },
  worker: { format: 'es' },
});
