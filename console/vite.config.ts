import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { brotli } from './generate/brotli.ts';
import { examples } from './generate/examples.ts';
import { optionsSchema } from './generate/options-schema.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// Relative addresses: the service puts the path of its host before those of the page.
export default defineConfig({
  base: './',
  plugins: [optionsSchema(`${root}infra/openapi.json`), examples(`${root}examples`, `${root}docs/images`), brotli()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    license: { fileName: 'licenses.md' },
  },
  worker: { format: 'es' },
});
