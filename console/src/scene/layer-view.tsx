import { type CSSProperties, memo, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { shownValue } from './data.ts';
import { fitText } from './fit-text.ts';
import { boxOf } from './geometry.ts';
import { type Layer, numberOf, textOf } from './model.ts';

type Props = { layer: Layer; data: unknown; marks: Marks };
/** Keys of layers that are drawn otherwise: selected ones, and those that the API refuses. */
export type Marks = { selected: ReadonlySet<string>; faulty: ReadonlySet<string> };

// Fonts that most computers have, with the widths of those of the service.
const SAME_WIDTHS: Record<string, string> = {
  'sans-serif': 'Arimo, Arial, "Liberation Sans", sans-serif',
  arimo: 'Arimo, Arial, "Liberation Sans"',
  serif: 'Tinos, "Times New Roman", "Liberation Serif", serif',
  tinos: 'Tinos, "Times New Roman", "Liberation Serif"',
  monospace: 'Cousine, "Courier New", "Liberation Mono", monospace',
  cousine: 'Cousine, "Courier New", "Liberation Mono"',
  carlito: 'Carlito, Calibri',
  caladea: 'Caladea, Cambria',
  inter: 'Inter, "Inter Variable"',
};
// Of the text below bars, as in engine/canvas/text_layer.py.
const BARCODE_TEXT_RATIO = 0.2;
const COUSINE_ADVANCE = 0.6;
const FONT_NAME = /^[A-Za-z][A-Za-z0-9 -]*$/;
const VERTICAL: Record<string, string> = { top: 'flex-start', middle: 'safe center', bottom: 'safe flex-end' };
const WEIGHTS: Record<string, number> = { normal: 400, bold: 700 };

/** A layer at the place, and of the size, that the service gives it (engine/canvas/draw.py). */
export const LayerView = memo(function LayerView({ layer, data, marks }: Props) {
  const isSelected = marks.selected.has(layer.key);
  if (layer.visible === false) return isSelected ? <div className="layer selected unseen" data-key={layer.key} style={boxStyle(layer)} /> : null;
  const name = ['layer', layer.type, isSelected && 'selected', marks.faulty.has(layer.key) && 'faulty'].filter(Boolean).join(' ');
  const shared = { className: name, 'data-key': layer.key };
  const value = shownValue(layer, data);
  switch (layer.type) {
    case 'group':
      if (value === false && !isSelected) return null;
      return (
        <div {...shared} style={boxStyle(layer)}>
          {layer.layers?.map((inner) => <LayerView key={inner.key} layer={inner} data={data} marks={marks} />)}
        </div>
      );
    case 'text':
      return <TextLayer shared={shared} layer={layer} text={textOfValue(value)} />;
    case 'rect':
    case 'ellipse':
      return <div {...shared} style={shapeStyle(layer, value)} />;
    case 'line':
      return <div {...shared} style={lineStyle(layer, value)} />;
    case 'image':
      return <PictureLayer shared={shared} layer={layer} source={textOfValue(value)} fit={textOf(layer, 'fit', 'contain')} />;
    case 'svg':
      return <PictureLayer shared={shared} layer={layer} source={svgSource(textOfValue(value))} fit="contain" />;
    case 'qrcode':
    case 'barcode':
      return <CodeLayer shared={shared} layer={layer} value={textOfValue(value)} />;
  }
}, isSameView);

/** A change of marks concerns a layer if its own mark changes, or one in it. */
function isSameView(before: Props, after: Props): boolean {
  if (before.layer !== after.layer || before.data !== after.data) return false;
  if (before.marks === after.marks) return true;
  if (after.layer.layers && after.layer.layers.length > 0) return false;
  const { key } = after.layer;
  return before.marks.selected.has(key) === after.marks.selected.has(key) && before.marks.faulty.has(key) === after.marks.faulty.has(key);
}

type Shared = { className: string; 'data-key': string };

function TextLayer({ shared, layer, text }: { shared: Shared; layer: Layer; text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLParagraphElement>(null);
  const overflow = textOf(layer, 'overflow', 'clip');
  useLayoutEffect(() => {
    if (box.current && line.current) fitText(box.current, line.current, text, overflow);
  }, [layer, text, overflow]);
  return <div {...shared} className={`${shared.className} ${overflow}${text === '' ? ' empty' : ''}`} ref={box} style={textStyle(layer)}><p ref={line} /></div>;
}

function PictureLayer({ shared, layer, source, fit }: { shared: Shared; layer: Layer; source: string; fit: string }) {
  const isShown = source.startsWith('data:image/');
  return (
    <div {...shared} className={isShown ? shared.className : `${shared.className} sketch`} style={boxStyle(layer)}>
      {isShown ? <img src={source} alt="" draggable={false} style={{ objectFit: fit as 'contain' }} /> : <span>{source === '' ? texts.scene.noPicture : fileName(source)}</span>}
    </div>
  );
}

/** A sketch of a code: only the service draws the code itself. Its text has the size that the service gives it. */
function CodeLayer({ shared, layer, value }: { shared: Shared; layer: Layer; value: string }) {
  const { width, height } = boxOf(layer);
  const className = value === '' ? `${shared.className} sketch` : shared.className;
  const style = { ...boxStyle(layer), color: textOf(layer, 'color', '#000000') };
  if (value === '') return <div {...shared} className={className} style={style}><span>{texts.scene.types[layer.type]}</span></div>;
  if (layer.type === 'qrcode') {
    const side = Math.min(width, height);
    const background = layer.background === null ? 'transparent' : textOf(layer, 'background', '#ffffff');
    return <div {...shared} style={style}><i style={{ width: side, height: side, background }}><b /><b /><b /></i></div>;
  }
  const size = Math.max(1, Math.min(height * BARCODE_TEXT_RATIO, width / (value.length * COUSINE_ADVANCE)));
  return <div {...shared} style={style}><i />{layer.show_text !== false && <span style={{ fontSize: size }}>{value}</span>}</div>;
}

function boxStyle(layer: Layer): CSSProperties {
  const { x, y, width, height } = boxOf(layer);
  const rotation = numberOf(layer, 'rotation');
  return { left: x, top: y, width, height, opacity: numberOf(layer, 'opacity', 1), ...(rotation ? { transform: `rotate(${rotation}deg)` } : {}) };
}

function textStyle(layer: Layer): CSSProperties {
  const size = numberOf(layer, 'font_size', 16);
  const weight = layer.font_weight;
  return {
    ...boxStyle(layer),
    justifyContent: VERTICAL[textOf(layer, 'vertical_align', 'top')],
    fontFamily: familiesOf(textOf(layer, 'font_family', 'sans-serif')),
    fontSize: size,
    fontWeight: typeof weight === 'number' ? weight : (WEIGHTS[String(weight)] ?? 400),
    fontStyle: textOf(layer, 'font_style', 'normal'),
    color: textOf(layer, 'color', '#000000'),
    textAlign: textOf(layer, 'align', 'left') as 'left',
    lineHeight: numberOf(layer, 'line_height', 1.2),
    letterSpacing: `${numberOf(layer, 'letter_spacing') / size}em`,
  };
}

function shapeStyle(layer: Layer, fill: unknown): CSSProperties {
  const stroke = textOf(layer, 'stroke');
  return {
    ...boxStyle(layer),
    ...(typeof fill === 'string' ? { backgroundColor: fill } : {}),
    ...(stroke === '' ? {} : { border: `${numberOf(layer, 'stroke_width', 1)}px solid ${stroke}` }),
    borderRadius: layer.type === 'ellipse' ? '50%' : numberOf(layer, 'radius'),
  };
}

/** A line is a bar around the same middle. */
function lineStyle(layer: Layer, stroke: unknown): CSSProperties {
  const { x, y, width, height } = boxOf(layer);
  const length = Math.hypot(width, height);
  const thickness = numberOf(layer, 'stroke_width', 1);
  const rotation = numberOf(layer, 'rotation') + (Math.atan2(height, width) * 180) / Math.PI;
  return {
    left: x + (width - length) / 2, top: y + (height - thickness) / 2, width: length, height: thickness,
    transform: `rotate(${rotation}deg)`, opacity: numberOf(layer, 'opacity', 1), backgroundColor: typeof stroke === 'string' ? stroke : '#000000',
  };
}

function familiesOf(given: string): string {
  const names = given.split(',').map((name) => name.trim()).filter((name) => FONT_NAME.test(name));
  return [...names, 'sans-serif'].map((name) => SAME_WIDTHS[name.toLowerCase()] ?? `"${name}"`).join(', ');
}

function textOfValue(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function svgSource(svg: string): string {
  // Half a character cannot be encoded.
  return svg === '' ? '' : `data:image/svg+xml,${encodeURIComponent(svg.replace(/\p{Surrogate}/gu, '\ufffd'))}`;
}

function fileName(source: string): string {
  return source.startsWith('upload:') ? source : (source.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? source);
}
