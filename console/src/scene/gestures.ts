import { type PointerEvent, type RefObject, useRef, useState } from 'react';
import { moved } from './actions.ts';
import {
  at, type Box, boundsOf, boxOf, cornersOf, distanceIn, type Guide, type Handle, lineBetween, linesOf, matrixOf, overlaps, parentMatrix, type Point, resized, snapped, type SnapLines, around, union,
} from './geometry.ts';
import type { Editing } from './history.ts';
import { allLayers, type Layer, layersOf, lineOf, numberOf, outermost, type Scene, withFields } from './model.ts';

/** What moves snap to: edges and middles of others, and a grid of so many pixels. */
export type Snap = { edges: boolean; grid: number | null };

/** A handle of the selected layer: a side or corner, an end of a line, or what turns it. */
export type HandleName = `${-1 | 0 | 1},${-1 | 0 | 1}` | 'start' | 'end' | 'rotate';

type Gesture = { scene: Scene; from: Point } & (
  | { kind: 'move'; keys: readonly string[]; box: Box; lines: SnapLines; isMoving: boolean; clicked: string }
  | { kind: 'resize'; layer: Layer; handle: Handle; lines: SnapLines; isStraight: boolean }
  | { kind: 'end'; layer: Layer; isStart: boolean; lines: SnapLines }
  | { kind: 'rotate'; layer: Layer; middle: Point }
  | { kind: 'frame'; boxes: readonly { key: string; box: Box }[]; kept: readonly string[] }
  | { kind: 'tap'; key: string | null }
);

const MIN_MOVE_PX = 3;
const SNAP_PX = 6;
const ANGLE_STEP = 15;
// Lines of more layers would be everywhere.
const MAX_SNAP_LAYERS = 300;
const TAG = 'gesture';

type Options = { editing: Editing; surface: RefObject<HTMLElement | null>; page: RefObject<HTMLElement | null>; zoom: number; snap: Snap };

/** Select, move, resize and turn layers with mouse, pen and finger. */
export function useGestures({ editing, surface, page, zoom, snap }: Options) {
  const { scene, selected } = editing;
  const gesture = useRef<Gesture | null>(null);
  const [guides, setGuides] = useState<readonly Guide[]>([]);
  const [frame, setFrame] = useState<Box | null>(null);

  const pointOf = (event: { clientX: number; clientY: number }): Point => {
    const { left, top } = (page.current as HTMLElement).getBoundingClientRect();
    return { x: (event.clientX - left) / zoom, y: (event.clientY - top) / zoom };
  };

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || gesture.current) return;
    const target = event.target as Element;
    const from = pointOf(event);
    const name = target.closest<HTMLElement>('[data-handle]')?.dataset.handle as HandleName | undefined;
    const [layer] = layersOf(scene, selected);
    if (name && layer) begin(event, handleGesture(scene, layer, name, from));
    else beginOnLayer(event, keyUnder(scene, selected, target), from);
  };

  const beginOnLayer = (event: PointerEvent, key: string | null, from: Point) => {
    const isAdding = event.shiftKey;
    const isSelected = key !== null && selected.includes(key);
    // A finger that is not on the selection pans the surface, unless it only taps.
    if (event.pointerType === 'touch' && !isSelected) {
      gesture.current = { kind: 'tap', key, scene, from };
    } else if (key === null) {
      if (!isAdding) editing.select([]);
      const boxes = scene.layers.filter(({ visible }) => visible !== false).map((layer) => ({ key: layer.key, box: boundsOf(scene, layer) }));
      begin(event, { kind: 'frame', scene, from, boxes, kept: isAdding ? selected : [] });
    } else if (isAdding) {
      editing.select(isSelected ? selected.filter((each) => each !== key) : [...selected, key]);
    } else {
      const keys = outermost(scene, isSelected ? selected : [key]);
      if (!isSelected) editing.select([key]);
      const box = union(layersOf(scene, keys).map((layer) => boundsOf(scene, layer)));
      begin(event, { kind: 'move', scene, from, keys, box, lines: snapLines(scene, keys, snap), isMoving: false, clicked: key });
    }
  };

  const begin = (event: PointerEvent, started: Gesture) => {
    gesture.current = started;
    editing.settle();
    surface.current?.setPointerCapture(event.pointerId);
  };

  const handleGesture = (scene: Scene, layer: Layer, name: HandleName, from: Point): Gesture => {
    const lines = snapLines(scene, [layer.key], snap);
    if (name === 'rotate') {
      return { kind: 'rotate', scene, from, layer, middle: middleOf(scene, layer) };
    }
    if (name === 'start' || name === 'end') return { kind: 'end', scene, from, layer, isStart: name === 'start', lines };
    const [x, y] = name.split(',').map(Number) as [Handle['x'], Handle['y']];
    const matrix = parentMatrix(scene, layer.key).multiply(matrixOf(layer));
    const isStraight = Math.abs(matrix.b) < 1e-9 && matrix.a > 0;
    return { kind: 'resize', scene, from, layer, handle: { x, y }, lines, isStraight };
  };

  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const current = gesture.current;
    if (!current || current.kind === 'tap') return;
    const point = pointOf(event);
    const delta = { x: point.x - current.from.x, y: point.y - current.from.y };
    const isFree = event.ctrlKey || event.metaKey;
    if (current.kind === 'frame') {
      const shown = around([current.from, point]);
      setFrame(shown);
      const inside = current.boxes.filter(({ box }) => overlaps(box, shown)).map(({ key }) => key);
      editing.select([...new Set([...current.kept, ...inside])]);
      return;
    }
    if (current.kind === 'move') {
      if (!current.isMoving && Math.hypot(delta.x, delta.y) * zoom < MIN_MOVE_PX) return;
      current.isMoving = true;
      if (event.shiftKey) delta[Math.abs(delta.x) > Math.abs(delta.y) ? 'y' : 'x'] = 0;
      const { by, guides: touched } = settled(shiftedLines(current.box, delta), current.lines, isFree);
      if (event.shiftKey) by[delta.x === 0 ? 'x' : 'y'] = 0;
      setGuides(touched);
      const whole = wholeDelta(delta, by);
      editing.change(() => moved(current.scene, current.keys, whole), { tag: TAG });
    } else if (current.kind === 'resize') {
      const { layer, handle } = current;
      const edges = handleEdges(boundsOf(current.scene, layer), handle, delta);
      const { by, guides: touched } = current.isStraight && !event.shiftKey ? settled(edges, current.lines, isFree) : { by: { x: 0, y: 0 }, guides: [] };
      setGuides(touched);
      const inParent = distanceIn(parentMatrix(current.scene, layer.key), wholeDelta(delta, by));
      editing.change(() => withFields(current.scene, [layer.key], () => resized(layer, handle, inParent, event.shiftKey)), { tag: TAG });
    } else if (current.kind === 'end') {
      const { layer, isStart } = current;
      const [start, end] = cornersOf(current.scene, layer) as [Point, Point];
      const [dragged, other] = isStart ? [start, end] : [end, start];
      const goal = { x: dragged.x + delta.x, y: dragged.y + delta.y };
      const { by, guides: touched } = settled({ x: [goal.x], y: [goal.y] }, current.lines, isFree);
      const placed = { x: by.x === 0 ? Math.round(goal.x) : goal.x + by.x, y: by.y === 0 ? Math.round(goal.y) : goal.y + by.y };
      if (event.shiftKey) {
        const axis = Math.abs(placed.x - other.x) > Math.abs(placed.y - other.y) ? 'y' : 'x';
        placed[axis] = other[axis];
      }
      setGuides(event.shiftKey ? [] : touched);
      const toParent = parentMatrix(current.scene, layer.key).inverse();
      const [first, last] = isStart ? [placed, other] : [other, placed];
      editing.change(() => withFields(current.scene, [layer.key], () => lineBetween(at(toParent, first), at(toParent, last))), { tag: TAG });
    } else {
      const turn = angleOf(current.middle, point) - angleOf(current.middle, current.from);
      const step = event.shiftKey ? ANGLE_STEP : 1;
      const degrees = Math.round((numberOf(current.layer, 'rotation') + turn) / step) * step;
      const rotation = ((degrees % 360) + 360) % 360;
      editing.change(() => withFields(current.scene, [current.layer.key], () => ({ rotation: rotation === 0 ? undefined : rotation })), { tag: TAG });
    }
  };

  /** Where edges come to rest: at a line within reach, or at the grid. */
  const settled = (edges: SnapLines, lines: SnapLines, isFree: boolean) =>
    isFree ? { by: { x: 0, y: 0 }, guides: [] } : snapped(edges, lines, snap.grid, SNAP_PX / zoom);

  const end = () => {
    gesture.current = null;
    setGuides([]);
    setFrame(null);
    editing.settle();
  };

  const onPointerUp = () => {
    const current = gesture.current;
    if (!current) return;
    if (current.kind === 'tap') editing.select(current.key === null ? [] : [current.key]);
    if (current.kind === 'move' && !current.isMoving && selected.length > 1) editing.select([current.clicked]);
    end();
  };

  /** Take back what a gesture has done so far; tells whether there was one. */
  const cancel = (): boolean => {
    const current = gesture.current;
    if (!current) return false;
    if (current.kind !== 'tap' && current.kind !== 'frame') editing.cancel();
    end();
    return true;
  };

  return { guides, frame, cancel, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: () => void cancel() } };
}

/** The layer that a press means: the outermost group, unless the selection is in it. */
export function keyUnder(scene: Scene, selected: readonly string[], target: Element): string | null {
  const line = lineUnder(scene, target);
  const entered = new Set(selected.slice(0, 1).flatMap((key) => lineOf(scene.layers, key).slice(0, -1).map((group) => group.key)));
  const found = line.find((layer) => !entered.has(layer.key)) ?? line.at(-1);
  return found?.key ?? null;
}

/** The groups at a place, from the outermost, and the layer. */
export function lineUnder(scene: Scene, target: Element): Layer[] {
  const key = target.closest<HTMLElement>('[data-key]')?.dataset.key;
  return key === undefined ? [] : lineOf(scene.layers, key);
}

export function middleOf(scene: Scene, layer: Layer): Point {
  const { width, height } = boxOf(layer);
  return at(parentMatrix(scene, layer.key).multiply(matrixOf(layer)), { x: width / 2, y: height / 2 });
}

/** The lines of the page, and of the layers beside those that move. */
function snapLines(scene: Scene, keys: readonly string[], snap: Snap): SnapLines {
  if (!snap.edges) return { x: [], y: [] };
  const moving = new Set(keys);
  const parent = lineOf(scene.layers, keys[0] ?? '').at(-2);
  const beside = (parent?.layers ?? scene.layers).filter((layer) => !moving.has(layer.key) && layer.visible !== false);
  const page = { x: 0, y: 0, width: scene.width, height: scene.height };
  return linesOf([page, ...beside.slice(-MAX_SNAP_LAYERS).map((layer) => boundsOf(scene, layer))]);
}

function shiftedLines(box: Box, delta: Point): SnapLines {
  return linesOf([{ ...box, x: box.x + delta.x, y: box.y + delta.y }]);
}

function handleEdges(box: Box, handle: Handle, delta: Point): SnapLines {
  const edge = (side: -1 | 0 | 1, start: number, size: number, by: number) => (side === 0 ? [] : [start + (side === 1 ? size : 0) + by]);
  return { x: edge(handle.x, box.x, box.width, delta.x), y: edge(handle.y, box.y, box.height, delta.y) };
}

/** The distance with what snapping adds; otherwise in whole pixels. */
function wholeDelta(delta: Point, by: Point): Point {
  return { x: by.x === 0 ? Math.round(delta.x) : delta.x + by.x, y: by.y === 0 ? Math.round(delta.y) : delta.y + by.y };
}

function angleOf(middle: Point, point: Point): number {
  return (Math.atan2(point.y - middle.y, point.x - middle.x) * 180) / Math.PI;
}

/** All keys of a scene's layers that can be selected one after another. */
export function keysInOrder(scene: Scene): string[] {
  return allLayers(scene.layers).map(({ layer }) => layer.key);
}
