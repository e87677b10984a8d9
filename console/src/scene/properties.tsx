import fields from 'virtual:layers';
import { useId, useState } from 'react';
import type { OptionField } from '../playground/option-field.ts';
import { labelOf } from '../ui/label.ts';
import { texts } from '../texts.ts';
import { shownBytes } from '../ui/format.ts';
import { WithCode } from '../ui/with-code.tsx';
import { isTemplate, valueAt } from './data.ts';
import type { Editing } from './history.ts';
import { BIND_TARGETS, type Layer, layersOf, nameOf, type Scene, TEMPLATED, withFields } from './model.ts';

/** What the API says about a field of a layer. */
export type Fault = { key: string | null; field: string; message: string };
type Props = { editing: Editing; data: unknown; paths: readonly string[]; faults: readonly Fault[]; isFixed: boolean };

const COLORS = new Set(['fill', 'stroke', 'color', 'background']);
const PLACE = ['x', 'y', 'width', 'height', 'rotation', 'opacity'];
const SIDES = new Set(['width', 'height']);
const BINDING = new Set(['bind', 'required', 'fallback']);
const LAST = ['id', 'alt', 'decorative', 'visible'];
const WEIGHTS = ['normal', 'bold', '100', '200', '300', '500', '600', '800', '900'];
// A longer one is a file, which nobody reads.
const MAX_SHOWN_SOURCE = 2000;
const HEX = /^#[0-9a-f]{6}$/i;

/** All fields of the selected layers, or of the page if nothing is selected. */
export function Properties({ editing, data, paths, faults, isFixed }: Props) {
  const layers = layersOf(editing.scene, editing.selected);
  const [first] = layers;
  if (!first) return <PageFields editing={editing} faults={faults} isFixed={isFixed} />;
  const shared = sharedFields(layers);
  const keys = layers.map(({ key }) => key);
  const set = (field: string, value: unknown) => {
    // A box has sides; a field that is emptied keeps the last one.
    if (value === undefined && SIDES.has(field)) return;
    editing.change((before) => withFields(before, keys, () => ({ [field]: value })), { tag: `field:${field}` });
  };
  const own = faults.filter(({ key }) => key !== null && keys.includes(key));
  const shown = (names: (name: string) => boolean) => shared.filter(({ name }) => names(name)).map((field) => (
    <LayerField key={field.name} field={field} layers={layers} fault={own.find((each) => each.field === field.name)?.message} onChange={(value) => set(field.name, value)} onLeave={editing.settle} />
  ));
  const single = layers.length === 1 ? first : null;
  return (
    <fieldset className="props" disabled={isFixed} data-layer={single?.key}>
      <legend className="props-title">
        <h2><bdi>{single ? nameOf(single) : texts.scene.status.several(layers.length)}</bdi></h2>
        {single && nameOf(single) !== texts.scene.types[single.type] && <span>{texts.scene.types[single.type]}</span>}
      </legend>
      <div className="props-place">{shown((name) => PLACE.includes(name))}</div>
      <section className="props-part">{shown((name) => !PLACE.includes(name) && !BINDING.has(name) && !LAST.includes(name))}</section>
      {single && <BindFields layer={single} data={data} paths={paths} faults={own} editing={editing} />}
      <section className="props-part">{shown((name) => LAST.includes(name) && (single !== null || name !== 'id'))}</section>
    </fieldset>
  );
}

function PageFields({ editing, faults, isFixed }: Pick<Props, 'editing' | 'faults' | 'isFixed'>) {
  const { scene } = editing;
  const set = (name: string, value: unknown) => {
    // A page has sides; a field that is emptied keeps the last one.
    if (value === undefined && name !== 'background') return;
    editing.change((before) => defined({ ...before, [name]: value }), { tag: `page:${name}` });
  };
  const own = faults.filter(({ key }) => key === null);
  return (
    <fieldset className="props" disabled={isFixed}>
      <legend className="props-title"><h2>{texts.scene.page}</h2></legend>
      <div className="props-place">
        {fieldsOf('scene').filter(({ name }) => name !== 'background').map((field) => (
          <PropField key={field.name} field={field} value={scene[field.name as 'width']} fault={own.find((each) => each.field === field.name)?.message} onChange={(value) => set(field.name, value)} onLeave={editing.settle} />
        ))}
      </div>
      <section className="props-part">
        {fieldsOf('scene').filter(({ name }) => name === 'background').map((field) => (
          <PropField key={field.name} field={field} value={scene.background ?? undefined} fault={own.find((each) => each.field === field.name)?.message} onChange={(value) => set(field.name, value)} onLeave={editing.settle} />
        ))}
      </section>
      <section className="props-part keys">
        <h3>{texts.scene.keysTitle}</h3>
        <dl>{texts.scene.keys.map(([keys, text]) => <div key={keys}><dt><kbd>{keys}</kbd></dt><dd>{text}</dd></div>)}</dl>
      </section>
    </fieldset>
  );
}

type LayerFieldProps = { field: OptionField; layers: readonly Layer[]; fault: string | undefined; onChange: (value: unknown) => void; onLeave: () => void };

function LayerField({ field, layers, ...rest }: LayerFieldProps) {
  const [first, ...others] = layers.map((layer) => layer[field.name]);
  const isMixed = others.some((value) => value !== first);
  return <PropField field={field} value={isMixed ? undefined : (first ?? undefined)} isMixed={isMixed} {...rest} />;
}

type FieldProps = Omit<LayerFieldProps, 'layers'> & { value: unknown; isMixed?: boolean };

/** A field as the API describes it; undefined is its default. */
function PropField({ field, value, isMixed = false, fault, onChange, onLeave }: FieldProps) {
  const id = useId();
  const label = texts.scene.short[field.name] ?? labelOf(field.name);
  return (
    <div className={fault === undefined ? 'prop' : 'prop faulty'} data-field={field.name} title={field.description}>
      <label htmlFor={id}>{label}</label>
      <Control id={id} field={field} value={value} isMixed={isMixed} isFaulty={fault !== undefined} onChange={onChange} onLeave={onLeave} />
      {fault === undefined
        ? <p className="prop-text" id={`${id}-text`}><WithCode text={field.description} /></p>
        : <p className="option-fault" id={`${id}-text`} role="alert"><WithCode text={fault} /></p>}
    </div>
  );
}

type ControlProps = Omit<FieldProps, 'fault'> & { id: string; isFaulty: boolean };

function Control({ id, field, value, isMixed, isFaulty, onChange, onLeave }: ControlProps) {
  const usual = isMixed ? texts.scene.mixed : (field.usual ?? '');
  const shared = { id, className: 'input', 'aria-describedby': `${id}-text`, 'aria-invalid': isFaulty || undefined, onBlur: onLeave };
  if (field.name === 'font_weight') {
    return <Choice shared={shared} values={WEIGHTS} value={value} usual={usual} onChange={(text) => onChange(/^\d+$/.test(text ?? '') ? Number(text) : text)} />;
  }
  if (field.name === 'src') return <PictureControl shared={shared} value={value} usual={usual} onChange={onChange} />;
  if (COLORS.has(field.name)) return <ColorControl shared={shared} value={value} usual={usual} onChange={onChange} />;
  switch (field.kind) {
    case 'choice':
      return <Choice shared={shared} values={field.values} value={value} usual={usual} onChange={onChange} />;
    case 'switch':
      return <Choice shared={shared} values={['true', 'false']} value={value} usual={usual} onChange={(text) => onChange(text === undefined ? undefined : text === 'true')} />;
    case 'integer':
    case 'number':
      return <NumberControl shared={shared} field={field} value={value} usual={usual} onChange={onChange} />;
    case 'long':
      return <textarea {...shared} rows={field.name === 'svg' ? 6 : 3} spellCheck={field.name === 'text'} placeholder={usual} value={shownText(value)} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)} />;
    default:
      return <input {...shared} placeholder={usual} value={shownText(value)} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)} />;
  }
}

type Shared = { id: string; className: string; onBlur: () => void };

function Choice({ shared, values, value, usual, onChange }: { shared: Shared; values: readonly string[]; value: unknown; usual: string; onChange: (value: string | undefined) => void }) {
  const shown = value === undefined ? '' : String(value);
  return (
    <select {...shared} value={shown} onChange={(event) => onChange(event.target.value || undefined)}>
      <option value="">{usual === texts.scene.mixed ? usual : texts.play.usual(texts.scene.truth[usual] ?? usual)}</option>
      {shown !== '' && !values.includes(shown) && <option value={shown}>{shown}</option>}
      {values.map((each) => <option key={each} value={each}>{texts.scene.truth[each] ?? each}</option>)}
    </select>
  );
}

/** A number; while it is typed, what is no number yet is not written. */
function NumberControl({ shared, field, value, usual, onChange }: { shared: Shared; field: OptionField; value: unknown; usual: string; onChange: (value: unknown) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const bounds = field.kind === 'integer' || field.kind === 'number' ? { min: field.min, max: field.max } : {};
  return (
    <input
      {...shared}
      {...bounds}
      className="input number"
      type="number"
      step={field.name === 'opacity' ? 0.05 : field.name === 'line_height' ? 0.1 : 'any'}
      placeholder={usual}
      value={typed ?? (typeof value === 'number' ? value : '')}
      onChange={(event) => {
        setTyped(event.target.value);
        if (event.target.validity.badInput) return;
        onChange(event.target.value === '' ? undefined : Number(event.target.value));
      }}
      onBlur={() => { setTyped(null); shared.onBlur(); }}
    />
  );
}

/** A CSS colour as text, and a field to pick one. */
function ColorControl({ shared, value, usual, onChange }: { shared: Shared; value: unknown; usual: string; onChange: (value: unknown) => void }) {
  const text = shownText(value);
  return (
    <div className="prop-color">
      <input type="color" aria-label={texts.scene.pick} value={hexOf(text) ?? hexOf(usual) ?? '#ffffff'} onChange={(event) => onChange(event.target.value)} onBlur={shared.onBlur} />
      <input {...shared} placeholder={usual === '' ? texts.scene.noColor : usual} spellCheck={false} value={text} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)} />
    </div>
  );
}

/** The address of a picture, or a file of this computer, which becomes a part of the scene. */
function PictureControl({ shared, value, usual, onChange }: { shared: Shared; value: unknown; usual: string; onChange: (value: unknown) => void }) {
  const text = shownText(value);
  const isFile = text.length > MAX_SHOWN_SOURCE;
  const read = (file: File | undefined) => {
    if (!file) return;
    const reader = new FileReader();
    reader.onload = () => onChange(reader.result);
    reader.readAsDataURL(file);
  };
  return (
    <div className="prop-picture">
      <input {...shared} placeholder={isFile ? texts.scene.embedded(shownBytes((text.length * 3) / 4)) : usual === '' ? 'https://…' : usual} spellCheck={false} value={isFile ? '' : text} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)} />
      <label className="button">{texts.scene.chooseFile}<input type="file" className="hidden" accept="image/png,image/jpeg,image/gif,image/webp,image/avif,image/svg+xml" onChange={(event) => { read(event.target.files?.[0]); event.target.value = ''; }} /></label>
    </div>
  );
}

/** A CSS colour as a field for colours takes it; null if it has no such form. */
function hexOf(color: string): string | null {
  if (!CSS.supports('color', color)) return null;
  const probe = document.createElement('canvas').getContext('2d');
  if (!probe) return null;
  probe.fillStyle = color;
  return HEX.test(probe.fillStyle) ? probe.fillStyle : null;
}

type BindProps = Pick<Props, 'editing' | 'data' | 'paths' | 'faults'> & { layer: Layer };

/** Where in the data the layer's value comes from, and what happens without it. */
function BindFields({ layer, data, paths, faults, editing }: BindProps) {
  const bind = shownText(layer.bind);
  const target = BIND_TARGETS[layer.type];
  const id = useId();
  const describe = (name: string) => fieldsOf(layer.type).find((each) => each.name === name)?.description ?? '';
  const set = (next: Record<string, unknown>) => editing.change((before) => withFields(before, [layer.key], () => next), { tag: `bind:${Object.keys(next)[0]}` });
  // The other two go with a bind only.
  const setBind = (text: string) => set(text === '' ? { bind: undefined, required: undefined, fallback: undefined } : { bind: text });
  const value = bind === '' || isTemplate(layer.type, bind) ? null : valueAt(data, bind);
  const fault = (name: string) => faults.find((each) => each.field === name)?.message;
  return (
    <section className="props-part">
      <h3>{texts.scene.bindTitle(labelOf(target))}</h3>
      <div className={fault('bind') ? 'prop faulty' : 'prop'} data-field="bind" title={describe('bind')}>
        <label htmlFor={id}>{texts.scene.bind}</label>
        <input id={id} className="input mono" list={`${id}-paths`} spellCheck={false} autoComplete="off" placeholder={paths[0] ?? 'customer.name'} value={bind} aria-describedby={`${id}-text`} aria-invalid={fault('bind') !== undefined || undefined} onBlur={editing.settle} onChange={(event) => setBind(event.target.value)} />
        <datalist id={`${id}-paths`}>{paths.map((path) => <option key={path} value={path} />)}</datalist>
        <p className={fault('bind') ? 'option-fault' : 'prop-text shown'} id={`${id}-text`}>{fault('bind') ?? <BindNote layer={layer} bind={bind} value={value} hasData={data !== null} />}</p>
      </div>
      {bind !== '' && (
        <>
          <div className="prop" data-field="required" title={describe('required')}>
            <label htmlFor={`${id}-required`}>{labelOf('required')}</label>
            <Choice shared={{ id: `${id}-required`, className: 'input', onBlur: editing.settle }} values={['true', 'false']} value={layer.required} usual="false" onChange={(text) => set({ required: text === undefined ? undefined : text === 'true' })} />
            <p className="prop-text"><WithCode text={describe('required')} /></p>
          </div>
          <div className={fault('fallback') ? 'prop faulty' : 'prop'} data-field="fallback" title={describe('fallback')}>
            <label htmlFor={`${id}-fallback`}>{labelOf('fallback')}</label>
            {layer.type === 'group'
              ? <Choice shared={{ id: `${id}-fallback`, className: 'input', onBlur: editing.settle }} values={['true', 'false']} value={layer.fallback ?? undefined} usual="" onChange={(text) => set({ fallback: text === undefined ? undefined : text === 'true' })} />
              : <input id={`${id}-fallback`} className="input" value={shownText(layer.fallback)} onBlur={editing.settle} onChange={(event) => set({ fallback: event.target.value === '' ? undefined : event.target.value })} />}
            <p className={fault('fallback') ? 'option-fault' : 'prop-text'}>{fault('fallback') ?? <WithCode text={describe('fallback')} />}</p>
          </div>
        </>
      )}
    </section>
  );
}

function BindNote({ layer, bind, value, hasData }: { layer: Layer; bind: string; value: unknown; hasData: boolean }) {
  if (bind === '') return TEMPLATED.has(layer.type) ? texts.scene.bindEmptyText : texts.scene.bindEmpty;
  if (isTemplate(layer.type, bind)) return texts.scene.bindTemplate;
  if (!hasData) return texts.scene.bindNoData;
  if (value === null) return texts.scene.bindMissing;
  return <>{texts.scene.bindValue} <code>{JSON.stringify(value)?.slice(0, 200)}</code></>;
}

/** The fields that all layers have, in the order of the first one's type. */
function sharedFields(layers: readonly Layer[]): OptionField[] {
  const [first, ...others] = [...new Set(layers.map(({ type }) => type))];
  if (!first) return [];
  const place = (field: OptionField) => (PLACE.includes(field.name) ? PLACE.indexOf(field.name) : PLACE.length);
  return fieldsOf(first)
    .filter((field) => others.every((type) => fieldsOf(type).some((each) => each.name === field.name && each.kind === field.kind)))
    .sort((one, other) => place(one) - place(other));
}

function fieldsOf(type: string): OptionField[] {
  return fields[type] ?? [];
}

function shownText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function defined(scene: Scene): Scene {
  return Object.fromEntries(Object.entries(scene).filter(([, value]) => value !== undefined)) as Scene;
}
