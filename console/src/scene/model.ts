import { texts } from '../texts.ts';

export const LAYER_TYPES = ['text', 'rect', 'ellipse', 'line', 'image', 'qrcode', 'barcode', 'svg', 'group'] as const;
export type LayerType = (typeof LAYER_TYPES)[number];
/** A layer while it is edited. `key` names it in this tab and is not sent; fields are those of the contract. */
export type Layer = { readonly key: string; readonly type: LayerType; readonly layers?: readonly Layer[]; readonly [field: string]: unknown };
export type Scene = { readonly width: number; readonly height: number; readonly background?: string | null; readonly layers: readonly Layer[] };
/** A scene as the API takes and gives it. */
export type PlainScene = Record<string, unknown>;

/** The field that `bind` sets, by type of layer. */
export const BIND_TARGETS: Record<LayerType, string> = {
  text: 'text', image: 'src', rect: 'fill', ellipse: 'fill', line: 'stroke', qrcode: 'value', barcode: 'value', svg: 'svg', group: 'visible',
};
/** Layers that show text: their `bind` may be a template. */
export const TEMPLATED: ReadonlySet<LayerType> = new Set(['text', 'qrcode', 'barcode']);

let lastKey = 0;

function newKey(): string {
  lastKey += 1;
  return `l${lastKey}`;
}

/** Read a scene for editing; `fault` says what is no scene about it. */
export function readScene(value: unknown): { scene: Scene } | { fault: string } {
  if (!isObject(value)) return { fault: texts.scene.broken.object };
  const { width, height, layers = [] } = value;
  if (!isSide(width) || !isSide(height)) return { fault: texts.scene.broken.side };
  try {
    return { scene: { ...value, width, height, layers: readLayers(layers, 'layers') } as Scene };
  } catch (error) {
    if (error instanceof UnreadableLayer) return { fault: error.message };
    throw error;
  }
}

class UnreadableLayer extends Error {}

/** Read layers with keys of their own; throws UnreadableLayer. */
export function readLayers(value: unknown, path: string): Layer[] {
  if (!Array.isArray(value)) throw new UnreadableLayer(texts.scene.broken.list(path));
  return value.map((each: unknown, index) => {
    const place = `${path}[${index}]`;
    if (!isObject(each) || !LAYER_TYPES.includes(each.type as LayerType)) throw new UnreadableLayer(texts.scene.broken.type(place));
    if (each.type !== 'group' && 'layers' in each) throw new UnreadableLayer(texts.scene.broken.inner(place));
    const inner = each.type === 'group' ? { layers: readLayers(each.layers ?? [], `${place}.layers`) } : {};
    return { ...each, ...inner, type: each.type as LayerType, key: newKey() };
  });
}

/** Return layers that are on the clipboard, or null if the text is something else. */
export function readCopied(text: string): Layer[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value.object === COPIED ? readLayers(value.layers, 'layers') : null;
  } catch {
    return null;
  }
}

const COPIED = 'platen_canvas_layers';

export function copiedText(layers: readonly Layer[]): string {
  return JSON.stringify({ object: COPIED, layers: layers.map(plainLayer) });
}

export function plainScene(scene: Scene): PlainScene {
  return { ...scene, layers: scene.layers.map(plainLayer) };
}

function plainLayer({ key: _key, ...layer }: Layer): Record<string, unknown> {
  return layer.layers ? { ...layer, layers: layer.layers.map(plainLayer) } : layer;
}

/** Number of a field, or 0 for one that is absent or no number. */
export function numberOf(layer: Layer, field: string, usual = 0): number {
  const value = layer[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : usual;
}

export function textOf(layer: Layer, field: string, usual = ''): string {
  const value = layer[field];
  return typeof value === 'string' ? value : usual;
}

export type Placed = { layer: Layer; parent: Layer | null; depth: number; indexes: readonly number[] };

/** All layers from the bottom to the top, a group before what is in it. */
export function allLayers(layers: readonly Layer[], parent: Layer | null = null, above: readonly number[] = []): Placed[] {
  return layers.flatMap((layer, index) => {
    const indexes = [...above, index];
    return [{ layer, parent, depth: above.length, indexes }, ...allLayers(layer.layers ?? [], layer, indexes)];
  });
}

/** The groups that a layer is in, from the outermost, and the layer itself; empty if there is none. */
export function lineOf(layers: readonly Layer[], key: string): Layer[] {
  for (const layer of layers) {
    if (layer.key === key) return [layer];
    const inner = lineOf(layer.layers ?? [], key);
    if (inner.length > 0) return [layer, ...inner];
  }
  return [];
}

export function layersOf(scene: Scene, keys: readonly string[]): Layer[] {
  const wanted = new Set(keys);
  return allLayers(scene.layers).flatMap(({ layer }) => (wanted.has(layer.key) ? [layer] : []));
}

/** The keys without those of layers in a group that is among them too. */
export function outermost(scene: Scene, keys: readonly string[]): string[] {
  const chosen = new Set(keys);
  return keys.filter((key) => !lineOf(scene.layers, key).slice(0, -1).some((group) => chosen.has(group.key)));
}

/** Replace layers: by one, by several, or by none. Groups without a change stay the same objects. */
export function replaceLayers(layers: readonly Layer[], change: (layer: Layer) => Layer | readonly Layer[]): readonly Layer[] {
  let isChanged = false;
  const next = layers.flatMap((layer) => {
    const changed = change(layer);
    if (changed !== layer) { isChanged = true; return changed; }
    if (!layer.layers) return [layer];
    const inner = replaceLayers(layer.layers, change);
    if (inner === layer.layers) return [layer];
    isChanged = true;
    return [{ ...layer, layers: inner }];
  });
  return isChanged ? next : layers;
}

/** Change the fields of some layers; a field that is undefined is left out. */
export function withFields(scene: Scene, keys: readonly string[], fields: (layer: Layer) => Record<string, unknown>): Scene {
  const chosen = new Set(keys);
  const change = (layer: Layer): Layer => {
    if (!chosen.has(layer.key)) return layer;
    const next = defined({ ...layer, ...fields(layer) });
    // A group may be chosen together with a layer in it.
    return next.layers && next.layers === layer.layers ? { ...next, layers: replaceLayers(next.layers, change) } : next;
  };
  const layers = replaceLayers(scene.layers, change);
  return layers === scene.layers ? scene : { ...scene, layers };
}

function defined(layer: Layer): Layer {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined)) as Layer;
}

export function withoutLayers(scene: Scene, keys: readonly string[]): Scene {
  const chosen = new Set(keys);
  return { ...scene, layers: replaceLayers(scene.layers, (layer) => (chosen.has(layer.key) ? [] : layer)) };
}

/** Put layers above a layer, or above all if there is no such layer. */
export function withLayers(scene: Scene, added: readonly Layer[], above: string | null): Scene {
  const isThere = above !== null && lineOf(scene.layers, above).length > 0;
  if (!isThere) return { ...scene, layers: [...scene.layers, ...added] };
  return { ...scene, layers: replaceLayers(scene.layers, (layer) => (layer.key === above ? [layer, ...added] : layer)) };
}

/** Change the order of the layers that share a parent; null is the scene. */
export function withOrder(scene: Scene, parent: string | null, order: (layers: readonly Layer[]) => readonly Layer[]): Scene {
  if (parent === null) return { ...scene, layers: order(scene.layers) };
  return withFields(scene, [parent], (group) => ({ layers: order(group.layers ?? []) }));
}

/** Copies of layers, with keys of their own; an id is unique in a scene. */
export function copiesOf(layers: readonly Layer[], scene: Scene): Layer[] {
  const taken = new Set(allLayers(scene.layers).map(({ layer }) => layer.id));
  const copy = (layer: Layer): Layer => {
    const { layers: inner, ...own } = layer;
    const id = typeof own.id === 'string' ? { id: freeId(own.id, taken) } : {};
    return { ...own, ...id, key: newKey(), ...(inner ? { layers: inner.map(copy) } : {}) } as Layer;
  };
  return layers.map(copy);
}

function freeId(id: string, taken: Set<unknown>): string {
  const stem = id.replace(/ \d+$/, '').slice(0, 90);
  for (let number = 2; taken.has(id); number += 1) id = `${stem} ${number}`;
  taken.add(id);
  return id;
}

/** A layer of a type with something to see, in the middle of a place. */
export function newLayer(type: LayerType, middle: { x: number; y: number }, scene: Scene): Layer {
  const unit = Math.max(8, Math.min(scene.width, scene.height) / 4);
  const fields: Record<LayerType, Record<string, unknown>> = {
    text: { width: unit * 2, height: Math.max(20, unit / 4), text: texts.scene.newText, font_size: Math.max(8, Math.round(unit / 6)) },
    rect: { width: unit, height: unit, fill: '#d5dffb' },
    ellipse: { width: unit, height: unit, fill: '#d5dffb' },
    line: { width: unit * 2, height: 0, stroke: '#1b1a17', stroke_width: 2 },
    image: { width: unit * 1.5, height: unit },
    qrcode: { width: unit, height: unit, value: 'https://example.com' },
    barcode: { width: unit * 2, height: unit / 1.5, value: 'PLT-0001' },
    svg: { width: unit, height: unit, svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="M5 1l4 8H1z" fill="#1f4fd8"/></svg>' },
    group: { width: unit, height: unit, layers: [] },
  };
  const { width, height, ...more } = fields[type] as { width: number; height: number };
  const size = { width: Math.round(width), height: Math.round(height) };
  return { key: newKey(), type, x: Math.round(middle.x - size.width / 2), y: Math.round(middle.y - size.height / 2), ...size, ...more };
}

export function groupOf(layers: readonly Layer[], box: { x: number; y: number; width: number; height: number }): Layer {
  const inner = layers.map((layer) => ({ ...layer, x: round(numberOf(layer, 'x') - box.x), y: round(numberOf(layer, 'y') - box.y) }));
  return { key: newKey(), type: 'group', x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height), layers: inner };
}

/** What a layer is called: its id, what it shows, or its type. */
export function nameOf(layer: Layer): string {
  if (typeof layer.id === 'string') return layer.id;
  const shown = textOf(layer, 'bind') || textOf(layer, layer.type === 'text' ? 'text' : 'value');
  return shown.trim() === '' ? texts.scene.types[layer.type] : shown.slice(0, 80);
}

/** The key of the layer at indexes such as `[2, 0]`, or null. */
export function keyAt(scene: Scene, indexes: readonly number[]): string | null {
  let layers: readonly Layer[] = scene.layers;
  let found: Layer | undefined;
  for (const index of indexes) {
    found = layers[index];
    layers = found?.layers ?? [];
  }
  return found?.key ?? null;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
