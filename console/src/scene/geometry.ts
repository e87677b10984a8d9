import { type Layer, lineOf, numberOf, round, type Scene } from './model.ts';

export type Point = { x: number; y: number };
/** A box whose sides are parallel to those of the page. */
export type Box = { x: number; y: number; width: number; height: number };

/** From the coordinates inside a layer's box to those of its parent, as the service turns it. */
export function matrixOf(layer: Layer): DOMMatrix {
  const { x, y, width, height } = boxOf(layer);
  const middle = { x: width / 2, y: height / 2 };
  return new DOMMatrix().translate(x + middle.x, y + middle.y).rotate(numberOf(layer, 'rotation')).translate(-middle.x, -middle.y);
}

/** From the coordinates of a layer's parent to those of the page. */
export function parentMatrix(scene: Scene, key: string): DOMMatrix {
  return lineOf(scene.layers, key).slice(0, -1).reduce((matrix, group) => matrix.multiply(matrixOf(group)), new DOMMatrix());
}

export function boxOf(layer: Layer): Box {
  return { x: numberOf(layer, 'x'), y: numberOf(layer, 'y'), width: numberOf(layer, 'width'), height: numberOf(layer, 'height') };
}

/** The corners of a layer on the page, in the order of its box; for a line its ends. */
export function cornersOf(scene: Scene, layer: Layer): Point[] {
  const matrix = parentMatrix(scene, layer.key).multiply(matrixOf(layer));
  const { width, height } = boxOf(layer);
  const corners = layer.type === 'line'
    ? [{ x: 0, y: 0 }, { x: width, y: height }]
    : [{ x: 0, y: 0 }, { x: width, y: 0 }, { x: width, y: height }, { x: 0, y: height }];
  return corners.map((corner) => at(matrix, corner));
}

export function at(matrix: DOMMatrix, point: Point): Point {
  const { x, y } = matrix.transformPoint(point);
  return { x, y };
}

/** A distance of the page in the coordinates of a matrix. */
export function distanceIn(matrix: DOMMatrix, delta: Point): Point {
  const inverse = matrix.inverse();
  const zero = at(inverse, { x: 0, y: 0 });
  const end = at(inverse, delta);
  return { x: end.x - zero.x, y: end.y - zero.y };
}

/** The box of a layer on the page; that of a group contains what is in it. */
export function boundsOf(scene: Scene, layer: Layer): Box {
  const inner = layer.layers ?? [];
  return inner.length === 0 ? around(cornersOf(scene, layer)) : union(inner.map((each) => boundsOf(scene, each)));
}

export function around(points: readonly Point[]): Box {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

export function union(boxes: readonly Box[]): Box {
  return around(boxes.flatMap(({ x, y, width, height }) => [{ x, y }, { x: x + width, y: y + height }]));
}

export function overlaps(one: Box, other: Box): boolean {
  return one.x <= other.x + other.width && other.x <= one.x + one.width && one.y <= other.y + other.height && other.y <= one.y + one.height;
}

/** Which sides a handle moves: -1 the left or upper one, 1 the right or lower one, 0 none. */
export type Handle = { x: -1 | 0 | 1; y: -1 | 0 | 1 };

/** The layer with other sides after a handle was dragged; the opposite corner stays where it is. */
export function resized(layer: Layer, handle: Handle, delta: Point, isProportional: boolean): Record<string, number> {
  const box = boxOf(layer);
  const turned = new DOMMatrix().rotate(numberOf(layer, 'rotation'));
  const inside = distanceIn(turned, delta);
  let width = Math.max(1, box.width + handle.x * inside.x);
  let height = Math.max(1, box.height + handle.y * inside.y);
  if (isProportional && box.width > 0 && box.height > 0) {
    const share = handle.x === 0 ? height / box.height : handle.y === 0 ? width / box.width : Math.max(width / box.width, height / box.height);
    width = box.width * share;
    height = box.height * share;
  }
  [width, height] = [round(width), round(height)];
  // The middle moves by half of what the sides grow, in the direction of the layer.
  const moved = at(turned, { x: (handle.x * (width - box.width)) / 2, y: (handle.y * (height - box.height)) / 2 });
  const middle = { x: box.x + box.width / 2 + moved.x, y: box.y + box.height / 2 + moved.y };
  return { x: round(middle.x - width / 2), y: round(middle.y - height / 2), width, height };
}

/** The fields of a line between two points of its parent. */
export function lineBetween(start: Point, end: Point): Record<string, number | undefined> {
  return { x: round(start.x), y: round(start.y), width: round(end.x - start.x), height: round(end.y - start.y), rotation: undefined };
}

export type Alignment = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom';

/** How far a box must move to be aligned in a frame. */
export function alignedBy(box: Box, frame: Box, alignment: Alignment): Point {
  switch (alignment) {
    case 'left': return { x: frame.x - box.x, y: 0 };
    case 'center': return { x: frame.x + frame.width / 2 - box.x - box.width / 2, y: 0 };
    case 'right': return { x: frame.x + frame.width - box.x - box.width, y: 0 };
    case 'top': return { x: 0, y: frame.y - box.y };
    case 'middle': return { x: 0, y: frame.y + frame.height / 2 - box.y - box.height / 2 };
    case 'bottom': return { x: 0, y: frame.y + frame.height - box.y - box.height };
  }
}

/** How far boxes must move, so that the spaces between them are equal; the outer ones stay. */
export function distributedBy(boxes: readonly Box[], isHorizontal: boolean): Point[] {
  const [start, size] = isHorizontal ? (['x', 'width'] as const) : (['y', 'height'] as const);
  const order = boxes.map((box, index) => ({ box, index })).sort((one, other) => one.box[start] - other.box[start]);
  const whole = union(boxes);
  const free = whole[size] - boxes.reduce((sum, box) => sum + box[size], 0);
  const space = free / Math.max(1, boxes.length - 1);
  const moves: Point[] = boxes.map(() => ({ x: 0, y: 0 }));
  let next = whole[start];
  for (const { box, index } of order) {
    const by = next - box[start];
    moves[index] = isHorizontal ? { x: by, y: 0 } : { x: 0, y: by };
    next += box[size] + space;
  }
  return moves;
}

/** Positions that edges and middles snap to. */
export type SnapLines = { x: readonly number[]; y: readonly number[] };
export type Guide = { axis: 'x' | 'y'; at: number };

/** The edges and middles of boxes. */
export function linesOf(boxes: readonly Box[]): SnapLines {
  return {
    x: boxes.flatMap(({ x, width }) => [x, x + width / 2, x + width]),
    y: boxes.flatMap(({ y, height }) => [y, y + height / 2, y + height]),
  };
}

/** The distance that brings one of the edges to the nearest line or to the grid, and the lines that it then touches. */
export function snapped(edges: SnapLines, lines: SnapLines, grid: number | null, reach: number): { by: Point; guides: Guide[] } {
  const by = { x: 0, y: 0 };
  const guides: Guide[] = [];
  for (const axis of ['x', 'y'] as const) {
    const nearest = closest(edges[axis], lines[axis], reach);
    const first = edges[axis][0];
    if (nearest !== null) {
      by[axis] = nearest.line - nearest.edge;
      guides.push({ axis, at: nearest.line });
    } else if (grid !== null && first !== undefined) {
      by[axis] = Math.round(first / grid) * grid - first;
    }
  }
  return { by, guides };
}

function closest(edges: readonly number[], lines: readonly number[], reach: number): { edge: number; line: number } | null {
  let best: { edge: number; line: number } | null = null;
  for (const edge of edges) {
    for (const line of lines) {
      const distance = Math.abs(line - edge);
      if (distance <= (best ? Math.abs(best.line - best.edge) - 1e-9 : reach)) best = { edge, line };
    }
  }
  return best;
}
