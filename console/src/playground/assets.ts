import { type Problem, problemOf } from '../api/problem.ts';
import { upload } from '../api/upload.ts';
import { texts } from '../texts.ts';
import { shownBytes } from '../ui/format.ts';

// Bounds of `input.assets`.
export const MAX_ASSETS = 50;
export const MAX_BYTES = 20_000_000;
/** A larger file becomes an upload; a smaller one is a part of the request, and of the draft. */
const MAX_INLINE_BYTES = 100_000;
const MAX_ALL_INLINE_BYTES = 1_000_000;

/** A file beside the document, named by its path: its content, or an upload. */
export type Asset = {
  path: string;
  bytes: number;
  type: string;
  content?: string;
  uploadId?: string;
  /** When the upload is deleted. */
  expiresAt?: string;
};

/** An asset of a request; one whose upload was deleted has to be added anew, and is left out. */
export function sentAsset({ path, type, content, uploadId, expiresAt }: Asset) {
  const place = content === undefined ? { upload_id: uploadId as string } : { content };
  if (isGone({ expiresAt })) return [];
  return [{ path, ...place, ...(type === '' ? {} : { content_type: type }) }];
}

export function isGone({ expiresAt }: { expiresAt?: string | undefined }): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) < Date.now();
}

export type Added = { assets: Asset[]; refused: string[]; problem: Problem | null };

/** Add files to assets: those of the same path are replaced, and what cannot be added is told. */
export async function addFiles(before: readonly Asset[], files: readonly File[]): Promise<Added> {
  const added: Added = { assets: [...before], refused: [], problem: null };
  for (const file of files) {
    const others = added.assets.filter(({ path }) => path !== file.name);
    const why = refusal(others, file);
    if (why !== null) { added.refused.push(why); continue; }
    try {
      added.assets = [...others, await assetOf(file, others)];
    } catch (error) {
      // A folder has a name and a size, and cannot be read.
      if (error instanceof DOMException) added.refused.push(texts.assets.folder(file.name));
      else added.problem = problemOf(error);
    }
  }
  return added;
}

function refusal(others: readonly Asset[], file: File): string | null {
  const all = others.reduce((sum, { bytes }) => sum + bytes, 0);
  if (others.length >= MAX_ASSETS) return texts.assets.tooMany(file.name, MAX_ASSETS);
  if (file.size === 0) return texts.assets.empty(file.name);
  if (all + file.size > MAX_BYTES) return texts.assets.tooLarge(file.name, shownBytes(file.size), shownBytes(MAX_BYTES));
  return null;
}

async function assetOf(file: File, others: readonly Asset[]): Promise<Asset> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const asset = { path: file.name, bytes: file.size, type: file.type };
  const inline = others.reduce((sum, each) => sum + (each.content === undefined ? 0 : each.bytes), 0);
  if (file.size <= MAX_INLINE_BYTES && inline + file.size <= MAX_ALL_INLINE_BYTES) {
    return { ...asset, content: base64(bytes) };
  }
  const sent = await upload(file);
  return { ...asset, uploadId: sent.id, expiresAt: sent.expires_at };
}

function base64(bytes: Uint8Array): string {
  const step = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}

/** What names an asset in the document. */
export function referenceTo({ path, type }: Asset): string {
  const address = path.split('/').map(encodeURIComponent).join('/');
  const ending = path.split('.').at(-1)?.toLowerCase() ?? '';
  if (type.startsWith('image/')) return `<img src="${address}" alt="">`;
  if (type === 'text/css' || ending === 'css') return `<link rel="stylesheet" href="${address}">`;
  if (type.includes('javascript') || ending === 'js') return `<script src="${address}"></script>`;
  if (type.startsWith('font/') || /^(woff2?|ttf|otf)$/.test(ending)) {
    const name = path.split('/').at(-1)?.replace(/\.\w+$/, '') ?? 'Font';
    return `<style>@font-face { font-family: "${name.replaceAll('"', '')}"; src: url("${address}"); }</style>`;
  }
  return `<a href="${address}">${address}</a>`;
}
