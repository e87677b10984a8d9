import { type CSSProperties, type KeyboardEvent, type MouseEvent, memo, type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { moved } from './actions.ts';
import { boundsOf, boxOf, type Box, cornersOf, type Point } from './geometry.ts';
import { keysInOrder, keyUnder, lineUnder, middleOf, type Snap, useGestures } from './gestures.ts';
import type { Editing } from './history.ts';
import { LayerView } from './layer-view.tsx';
import { type Layer, layersOf, nameOf, numberOf, round, type Scene, withFields } from './model.ts';

type Props = {
  editing: Editing;
  data: unknown;
  faulty: ReadonlySet<string>;
  snap: Snap;
  zoom: number | 'fit';
  onZoom: (zoom: number | 'fit') => void;
  /** The layer is to be edited in its fields. */
  onOpen: (key: string) => void;
  children?: ReactNode;
};

const MIN_ZOOM = 0.05;
const MAX_ZOOM = 8;
const MAX_FIT = 2;
const PADDING = 48;
const NARROW_PADDING = 20;
const NARROW = 600;
const STEP = 1;
const LARGE_STEP = 10;
const ROTATE_DISTANCE = 24;
/** A side that is shorter on the screen has no handle in its middle. */
const MIN_SIDE_FOR_MIDDLE = 28;
const NUDGES: Record<string, Point> = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };

/** The page with its layers, to be selected, moved, resized and turned with mouse, finger and keys. */
export function Surface({ editing, data, faulty, snap, zoom: wanted, onZoom, onOpen, children }: Props) {
  const { scene, selected } = editing;
  const surface = useRef<HTMLDivElement>(null);
  const page = useRef<HTMLDivElement>(null);
  const fit = useFit(surface, scene);
  const zoom = wanted === 'fit' ? fit : wanted;
  const gestures = useGestures({ editing, surface, page, zoom, snap });
  const layers = useMemo(() => layersOf(scene, selected), [scene, selected]);
  // After Escape the next Tab leaves the surface.
  const [isLeaving, setLeaving] = useState(false);
  useWheelZoom(surface, zoom, onZoom);
  useShown(surface, selected);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget) return;
    const nudge = NUDGES[event.key];
    const isCommand = event.ctrlKey || event.metaKey;
    if (nudge && selected.length > 0) {
      event.preventDefault();
      const step = event.shiftKey ? LARGE_STEP : STEP;
      const delta = { x: nudge.x * step, y: nudge.y * step };
      if (isCommand) editing.change((before) => grown(before, selected, delta), { tag: 'grow' });
      else editing.change((before) => moved(before, selected, delta), { tag: 'nudge' });
    } else if (event.key === 'Tab') {
      const next = isLeaving && selected.length === 0 ? undefined : neighbour(scene, selected, event.shiftKey ? -1 : 1);
      if (next !== undefined) { event.preventDefault(); editing.select([next]); }
    } else if (event.key === 'Escape' && !gestures.cancel()) {
      setLeaving(true);
      editing.select([]);
    } else if (event.key === 'Enter' && layers[0]) {
      event.preventDefault();
      onOpen(layers[0].key);
    } else if (!isCommand && ['+', '=', '-'].includes(event.key)) {
      onZoom(zoomed(zoom, event.key === '-' ? 1 / 1.25 : 1.25));
    } else if (!isCommand && event.key === '0') {
      onZoom('fit');
    } else if (!isCommand && event.key === '1') {
      onZoom(1);
    }
  };

  const onDoubleClick = (event: MouseEvent<HTMLElement>) => {
    // The surface has captured the pointer, so it is the target.
    const target = document.elementFromPoint(event.clientX, event.clientY) ?? event.currentTarget;
    const line = lineUnder(scene, target);
    const index = line.findIndex((layer) => layer.key === keyUnder(scene, selected, target));
    const inner = line[index + 1];
    if (inner) editing.select([inner.key]);
    else if (line[index]) onOpen(line[index].key);
  };

  const size = { width: scene.width * zoom, height: scene.height * zoom };
  return (
    <div
      className="surface"
      ref={surface}
      tabIndex={0}
      role="group"
      aria-label={texts.scene.surface}
      aria-describedby="surface-status"
      onKeyDown={onKeyDown}
      onFocus={() => setLeaving(false)}
      onDoubleClick={onDoubleClick}
      {...gestures.handlers}
      onPointerDown={(event: PointerEvent<HTMLElement>) => { surface.current?.focus({ preventScroll: true }); gestures.handlers.onPointerDown(event); }}
    >
      <div className="surface-room">
        <div className="surface-page" ref={page} style={{ ...size, backgroundColor: scene.background ?? undefined }}>
          <Layers scene={scene} selected={selected} faulty={faulty} data={data} zoom={zoom} />
          <div className="surface-outside" aria-hidden="true" />
          <div className="surface-marks" aria-hidden="true">
            <svg width={size.width} height={size.height}>
              {layers.map((layer) => <polygon key={layer.key} className="outline" points={pointsOf(outlineOf(scene, layer), zoom)} />)}
              {gestures.guides.map(({ axis, at }) => (axis === 'x'
                ? <line key={`x${at}`} className="guide" x1={at * zoom} x2={at * zoom} y1={-2000} y2={size.height + 2000} />
                : <line key={`y${at}`} className="guide" y1={at * zoom} y2={at * zoom} x1={-2000} x2={size.width + 2000} />))}
              {gestures.frame && <rect className="frame" x={gestures.frame.x * zoom} y={gestures.frame.y * zoom} width={gestures.frame.width * zoom} height={gestures.frame.height * zoom} />}
            </svg>
            {layers.length === 1 && layers[0] && layers[0].visible !== false && <Handles scene={scene} layer={layers[0]} zoom={zoom} />}
          </div>
          {children}
        </div>
      </div>
      <output className="hidden" id="surface-status" aria-live="polite">{statusOf(layers)}</output>
    </div>
  );
}

/** The layers in pixels of the scene, scaled as a whole. */
const Layers = memo(function Layers({ scene, selected, faulty, data, zoom }: { scene: Scene; selected: readonly string[]; faulty: ReadonlySet<string>; data: unknown; zoom: number }) {
  const marks = useMemo(() => ({ selected: new Set(selected), faulty }), [selected, faulty]);
  return (
    <div className="surface-layers" style={{ width: scene.width, height: scene.height, transform: `scale(${zoom})` }}>
      {scene.layers.map((layer) => <LayerView key={layer.key} layer={layer} data={data} marks={marks} />)}
    </div>
  );
});

/** What the selected layer is dragged at. */
function Handles({ scene, layer, zoom }: { scene: Scene; layer: Layer; zoom: number }) {
  const corners = cornersOf(scene, layer).map(({ x, y }) => ({ x: x * zoom, y: y * zoom }));
  if (layer.type === 'line') {
    const [start, end] = corners as [Point, Point];
    return <><HandleDot name="start" at={start} cursor="move" /><HandleDot name="end" at={end} cursor="move" /></>;
  }
  const [nw, ne, se, sw] = corners as [Point, Point, Point, Point];
  const angle = Math.atan2(ne.y - nw.y, ne.x - nw.x);
  const { width, height } = boxOf(layer);
  const middle = { x: middleOf(scene, layer).x * zoom, y: middleOf(scene, layer).y * zoom };
  const top = half(nw, ne);
  // Outwards from the middle, also for a box without height.
  const away = { x: Math.sin(angle) * ROTATE_DISTANCE, y: -Math.cos(angle) * ROTATE_DISTANCE };
  const isWide = width * zoom >= MIN_SIDE_FOR_MIDDLE;
  const isHigh = height * zoom >= MIN_SIDE_FOR_MIDDLE;
  const rotate = <HandleDot name="rotate" at={{ x: top.x + away.x, y: top.y + away.y }} cursor="grab" isRound />;
  // What a group holds has sizes of its own.
  if (layer.type === 'group') return <>{rotate}<i className="pivot" style={{ left: middle.x, top: middle.y }} /></>;
  const dots: [string, Point][] = [['-1,-1', nw], ['1,-1', ne], ['1,1', se], ['-1,1', sw]];
  if (isWide) dots.push(['0,-1', top], ['0,1', half(sw, se)]);
  if (isHigh) dots.push(['-1,0', half(nw, sw)], ['1,0', half(ne, se)]);
  return <>{rotate}{dots.map(([name, at]) => <HandleDot key={name} name={name} at={at} cursor={cursorOf(at, middle)} />)}</>;
}

function HandleDot({ name, at, cursor, isRound = false }: { name: string; at: Point; cursor: CSSProperties['cursor']; isRound?: boolean }) {
  return <i className={isRound ? 'handle round' : 'handle'} data-handle={name} style={{ left: at.x, top: at.y, cursor }} />;
}

function cursorOf(point: Point, middle: Point): string {
  const turn = Math.round((Math.atan2(point.y - middle.y, point.x - middle.x) / Math.PI) * 4);
  return ['ew-resize', 'nwse-resize', 'ns-resize', 'nesw-resize'][((turn % 4) + 4) % 4] ?? 'move';
}

function half(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

function outlineOf(scene: Scene, layer: Layer): Point[] {
  const { width, height } = boxOf(layer);
  if (layer.type !== 'group' || width > 0 || height > 0) return cornersOf(scene, layer);
  const box: Box = boundsOf(scene, layer);
  return [{ x: box.x, y: box.y }, { x: box.x + box.width, y: box.y }, { x: box.x + box.width, y: box.y + box.height }, { x: box.x, y: box.y + box.height }];
}

function pointsOf(points: readonly Point[], zoom: number): string {
  return points.map(({ x, y }) => `${x * zoom},${y * zoom}`).join(' ');
}

function statusOf(layers: readonly Layer[]): string {
  const [layer] = layers;
  if (!layer) return texts.scene.status.none;
  if (layers.length > 1) return texts.scene.status.several(layers.length);
  const { x, y, width, height } = boxOf(layer);
  return texts.scene.status.one(nameOf(layer), texts.scene.types[layer.type], x, y, width, height);
}

/** The next layer for Tab; undefined at the end, where Tab leaves the surface. */
function neighbour(scene: Scene, selected: readonly string[], step: 1 | -1): string | undefined {
  const keys = keysInOrder(scene);
  const current = selected.at(-1);
  if (current === undefined) return step === 1 ? keys[0] : undefined;
  return keys[keys.indexOf(current) + step];
}

function grown(scene: Scene, keys: readonly string[], delta: Point): Scene {
  return withFields(scene, keys, (layer) => {
    const side = (field: string, by: number) => (by === 0 ? layer[field] : Math.max(layer.type === 'line' ? Number.NEGATIVE_INFINITY : 0, round(numberOf(layer, field) + by)));
    return { width: side('width', delta.x), height: side('height', delta.y) };
  });
}

/** A zoom made larger or smaller, within its bounds. */
export function zoomed(zoom: number, factor: number): number {
  return Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, Math.round(zoom * factor * 100) / 100));
}

/** The zoom at which the whole page is seen. */
function useFit(surface: { current: HTMLElement | null }, { width, height }: Scene): number {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const target = surface.current;
    if (!target) return undefined;
    const measure = () => setRoom({ width: target.offsetWidth, height: target.offsetHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [surface]);
  if (room.width === 0) return 1;
  const padding = room.width < NARROW ? NARROW_PADDING : PADDING;
  const fit = Math.min((room.width - 2 * padding) / width, (room.height - 2 * padding) / height, MAX_FIT);
  return Math.max(0.01, fit);
}

/** The wheel zooms with Ctrl or ⌘, as does a pinch on a touchpad. */
function useWheelZoom(surface: { current: HTMLElement | null }, zoom: number, onZoom: (zoom: number) => void): void {
  useEffect(() => {
    const target = surface.current;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      onZoom(zoomed(zoom, Math.exp(-event.deltaY / 300)));
    };
    // React's own listener is passive, so it could not keep the browser from zooming.
    target?.addEventListener('wheel', onWheel, { passive: false });
    return () => target?.removeEventListener('wheel', onWheel);
  }, [surface, zoom, onZoom]);
}

/** Bring a layer that was selected elsewhere into sight. */
function useShown(surface: { current: HTMLElement | null }, selected: readonly string[]): void {
  useEffect(() => {
    // What is pressed is in sight, and must not move under the pointer.
    if (selected.length !== 1 || surface.current?.matches(':active')) return;
    surface.current?.querySelector(`[data-key="${selected[0]}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [surface, selected]);
}
