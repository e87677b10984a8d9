import { type Alignment, alignedBy, at, type Box, boundsOf, distanceIn, distributedBy, matrixOf, parentMatrix, type Point, union } from './geometry.ts';
import {
  copiesOf, groupOf, type Layer, layersOf, lineOf, numberOf, outermost, replaceLayers, round, type Scene, withFields, withLayers, withOrder, withoutLayers,
} from './model.ts';

/** A scene after an action, with what is selected then. */
export type Result = { scene: Scene; selected: readonly string[] };

const PASTED_OFFSET = 10;

/** Move layers by a distance on the page; groups take along what is in them. */
export function moved(scene: Scene, keys: readonly string[], delta: Point): Scene {
  return movedEach(scene, new Map(outermost(scene, keys).map((key) => [key, delta])));
}

function movedEach(scene: Scene, deltas: ReadonlyMap<string, Point>): Scene {
  return withFields(scene, [...deltas.keys()], (layer) => {
    const delta = distanceIn(parentMatrix(scene, layer.key), deltas.get(layer.key) ?? { x: 0, y: 0 });
    const [x, y] = [round(numberOf(layer, 'x') + delta.x), round(numberOf(layer, 'y') + delta.y)];
    // A field that stays at its default is not written.
    return { x: x === numberOf(layer, 'x') ? layer.x : x, y: y === numberOf(layer, 'y') ? layer.y : y };
  });
}

/** Align layers with each other; a single one with the page. */
export function aligned(scene: Scene, keys: readonly string[], alignment: Alignment): Scene {
  const layers = layersOf(scene, outermost(scene, keys));
  const boxes = layers.map((layer) => boundsOf(scene, layer));
  const frame: Box = boxes.length > 1 ? union(boxes) : { x: 0, y: 0, width: scene.width, height: scene.height };
  return movedEach(scene, new Map(layers.map((layer, index) => [layer.key, alignedBy(boxes[index] as Box, frame, alignment)])));
}

export function distributed(scene: Scene, keys: readonly string[], isHorizontal: boolean): Scene {
  const layers = layersOf(scene, outermost(scene, keys));
  const moves = distributedBy(layers.map((layer) => boundsOf(scene, layer)), isHorizontal);
  return movedEach(scene, new Map(layers.map((layer, index) => [layer.key, moves[index] as Point])));
}

export type Order = 'front' | 'forward' | 'backward' | 'back';

/** Bring layers above or below others that have the same parent. */
export function ordered(scene: Scene, keys: readonly string[], order: Order): Scene {
  const chosen = new Set(keys);
  const parents = new Set(keys.map((key) => lineOf(scene.layers, key).at(-2)?.key ?? null));
  let next = scene;
  for (const parent of parents) next = withOrder(next, parent, (layers) => reordered(layers, chosen, order));
  return next;
}

function reordered(layers: readonly Layer[], chosen: ReadonlySet<string>, order: Order): readonly Layer[] {
  const isChosen = (layer: Layer | undefined): boolean => layer !== undefined && chosen.has(layer.key);
  if (order === 'front') return [...layers.filter((each) => !isChosen(each)), ...layers.filter(isChosen)];
  if (order === 'back') return [...layers.filter(isChosen), ...layers.filter((each) => !isChosen(each))];
  const next = order === 'forward' ? [...layers].reverse() : [...layers];
  for (let index = 1; index < next.length; index += 1) {
    const [before, layer] = [next[index - 1] as Layer, next[index] as Layer];
    if (isChosen(layer) && !isChosen(before)) [next[index - 1], next[index]] = [layer, before];
  }
  return order === 'forward' ? next.reverse() : next;
}

/** Put layers above a layer, or above all; they are selected then. */
export function added(scene: Scene, layers: readonly Layer[], above: string | null): Result {
  return { scene: withLayers(scene, layers, above), selected: layers.map(({ key }) => key) };
}

/** Put copies of layers above the selected one, a little aside. */
export function pasted(scene: Scene, layers: readonly Layer[], above: string | null): Result {
  const copies = copiesOf(layers, scene).map((layer) => ({
    ...layer, x: round(numberOf(layer, 'x') + PASTED_OFFSET), y: round(numberOf(layer, 'y') + PASTED_OFFSET),
  }));
  return added(scene, copies, above);
}

/** Layers in the order of the scene, without those that are in a group of them. */
export function chosenLayers(scene: Scene, keys: readonly string[]): Layer[] {
  return layersOf(scene, outermost(scene, keys));
}

export function removed(scene: Scene, keys: readonly string[]): Result {
  return { scene: withoutLayers(scene, keys), selected: [] };
}

/** Whether layers have the same parent, which a group of them needs. */
export function canGroup(scene: Scene, keys: readonly string[]): boolean {
  const parents = new Set(outermost(scene, keys).map((key) => lineOf(scene.layers, key).at(-2)?.key ?? null));
  return keys.length > 0 && parents.size === 1;
}

export function grouped(scene: Scene, keys: readonly string[]): Result {
  const layers = chosenLayers(scene, keys);
  const top = layers.at(-1) as Layer;
  const toParent = parentMatrix(scene, top.key).inverse();
  // In the coordinates of the parent, as the layers are.
  const corners = layers.flatMap((layer) => {
    const { x, y, width, height } = boundsOf(scene, layer);
    return [at(toParent, { x, y }), at(toParent, { x: x + width, y: y + height })];
  });
  const group = groupOf(layers, union(corners.map((point) => ({ ...point, width: 0, height: 0 }))));
  const others = new Set(layers.slice(0, -1).map(({ key }) => key));
  const inner = replaceLayers(scene.layers, (layer) => (layer.key === top.key ? group : others.has(layer.key) ? [] : layer));
  return { scene: { ...scene, layers: inner }, selected: [group.key] };
}

/** Put what groups hold in their place, where it was on the page. */
export function ungrouped(scene: Scene, keys: readonly string[]): Result {
  const groups = chosenLayers(scene, keys).filter(({ type }) => type === 'group');
  const freed = new Map(groups.map((group) => [group.key, (group.layers ?? []).map((layer) => outside(group, layer))]));
  const layers = replaceLayers(scene.layers, (layer) => freed.get(layer.key) ?? layer);
  return { scene: { ...scene, layers }, selected: [...freed.values()].flat().map(({ key }) => key) };
}

function outside(group: Layer, layer: Layer): Layer {
  const [width, height] = [numberOf(layer, 'width'), numberOf(layer, 'height')];
  const middle = at(matrixOf(group), { x: numberOf(layer, 'x') + width / 2, y: numberOf(layer, 'y') + height / 2 });
  const rotation = round(numberOf(layer, 'rotation') + numberOf(group, 'rotation'));
  const opacity = round(numberOf(layer, 'opacity', 1) * numberOf(group, 'opacity', 1));
  return {
    ...layer,
    x: round(middle.x - width / 2),
    y: round(middle.y - height / 2),
    ...(rotation === numberOf(layer, 'rotation') ? {} : { rotation }),
    ...(opacity === numberOf(layer, 'opacity', 1) ? {} : { opacity }),
    ...(group.visible === false ? { visible: false } : {}),
  };
}
