import { BIND_TARGETS, isObject, type Layer, type LayerType, TEMPLATED } from './model.ts';

const MAX_PATHS = 500;
const MAX_ITEMS = 3;
const MAX_DEPTH = 8;
const STEP = /^[^\s.{}%#]{1,100}$/;

/** The dotted paths of values in data, with an example of each. */
export function pathsInData(data: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const walk = (value: unknown, path: string, depth: number): void => {
    if (found.size >= MAX_PATHS || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) value.slice(0, MAX_ITEMS).forEach((each, index) => walk(each, join(path, String(index)), depth + 1));
    else if (isObject(value)) {
      for (const [name, each] of Object.entries(value)) if (STEP.test(name)) walk(each, join(path, name), depth + 1);
    } else if (path !== '') found.set(path, value);
  };
  walk(data, '', 0);
  return found;
}

/** The dotted paths that a JSON Schema declares. */
export function pathsInSchema(schema: unknown): string[] {
  const found = new Set<string>();
  const walk = (value: unknown, path: string, depth: number): void => {
    if (!isObject(value) || found.size >= MAX_PATHS || depth > MAX_DEPTH) return;
    const { properties, items } = value;
    if (isObject(properties)) {
      for (const [name, each] of Object.entries(properties)) if (STEP.test(name)) walk(each, join(path, name), depth + 1);
    } else if (isObject(items)) walk(items, join(path, '0'), depth + 1);
    else if (path !== '') found.add(path);
  };
  walk(schema, '', 0);
  return [...found];
}

/** The value at a dotted path, in which numbers are indexes of arrays; null if it is absent. */
export function valueAt(data: unknown, path: string): unknown {
  let value: unknown = data;
  for (const step of path.split('.')) {
    if (Array.isArray(value)) value = /^\d+$/.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value ?? null;
}

/** Whether a bind is a template, which only the service runs. */
export function isTemplate(type: LayerType, bind: string): boolean {
  return TEMPLATED.has(type) && bind.includes('{');
}

/** What the service would show in a layer with these data: of the data, the fallback, or the layer's own. */
export function shownValue(layer: Layer, data: unknown): unknown {
  const own = layer[BIND_TARGETS[layer.type]];
  const { bind, fallback } = layer;
  if (typeof bind !== 'string' || bind === '') return own;
  if (isTemplate(layer.type, bind)) return bind;
  const value = valueAt(data, bind);
  if (isUsable(layer.type, value)) return TEMPLATED.has(layer.type) ? String(value) : value;
  return fallback ?? own;
}

function isUsable(type: LayerType, value: unknown): boolean {
  if (type === 'group') return typeof value === 'boolean';
  if (TEMPLATED.has(type)) return ['string', 'number', 'boolean'].includes(typeof value);
  return typeof value === 'string';
}

function join(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`;
}
