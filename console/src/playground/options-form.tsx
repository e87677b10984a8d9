import fields from 'virtual:options';
import { memo, useId, useState } from 'react';
import { texts } from '../texts.ts';
import { labelOf } from '../ui/label.ts';
import { WithCode } from '../ui/with-code.tsx';
import { type Format, PICTURES } from './model.ts';
import type { OptionField } from './option-field.ts';

type Output = Record<string, unknown>;
type Props = { output: Output; onChange: (path: string, value: unknown) => void };
type FormProps = Props & { format: Format };

/** All options of a render in a format, as the API describes them. */
export const OptionsForm = memo(function OptionsForm({ format, output, onChange }: FormProps) {
  const [words, setWords] = useState('');
  const own = format === 'pdf' ? fields.pdf : PICTURES.has(format) ? fields.picture : [];
  const shown = matching([...own, ...fields.all], words.trim().toLowerCase());
  return (
    <div className="options">
      <div className="options-find">
        <input
          className="input"
          type="search"
          placeholder={texts.play.filter}
          aria-label={texts.play.filter}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      {shown.length === 0 && <p className="quiet">{texts.play.filterNone}</p>}
      {shown.map((field) => (
        <Option key={field.path} field={field} output={output} onChange={onChange} isOpen={words !== ''} />
      ))}
    </div>
  );
});

/** One option, or a group of them. */
export function Option({ field, output, onChange, isOpen }: Props & { field: OptionField; isOpen: boolean }) {
  if (field.kind !== 'group') {
    return <Field field={field} value={valueAt(output, field.path)} onChange={onChange} />;
  }
  const count = countOf(valueAt(output, field.path));
  return (
    <details className="option-group" open={isOpen || undefined}>
      <summary>
        <span>{labelOf(field.name)}</span>
        {count > 0 && <span className="count">{texts.play.set(count)}</span>}
      </summary>
      <div className="option-group-body" id={`option-${field.path}`}>
        <p className="option-text"><WithCode text={field.description} /></p>
        {field.fields.map((each) => (
          <Option key={each.path} field={each} output={output} onChange={onChange} isOpen={isOpen} />
        ))}
      </div>
    </details>
  );
}

type FieldProps = { field: OptionField; value: unknown; onChange: (path: string, value: unknown) => void };

function Field({ field, value, onChange }: FieldProps) {
  const id = useId();
  const isSet = value !== undefined;
  return (
    <div className={isSet ? 'option set' : 'option'} id={`option-${field.path}`}>
      <div className="option-head">
        <label htmlFor={id}>{labelOf(field.name)}</label>
        {isSet && (
          <button type="button" className="link" onClick={() => onChange(field.path, undefined)} aria-label={`${texts.play.reset}: ${labelOf(field.name)}`}>
            {texts.play.reset}
          </button>
        )}
      </div>
      <Control id={id} field={field} value={value} onChange={onChange} />
      <p className="option-text" id={`${id}-text`}><WithCode text={field.description} /></p>
    </div>
  );
}

function Control({ id, field, value, onChange }: FieldProps & { id: string }) {
  const change = (next: unknown) => onChange(field.path, next);
  const shared = { id, 'aria-describedby': `${id}-text` };
  const usual = field.usual ?? '';
  switch (field.kind) {
    case 'choice':
      return (
        <select {...shared} className="input" value={String(value ?? '')} onChange={(event) => change(event.target.value || undefined)}>
          <option value="">{usual ? texts.play.usual(usual) : texts.play.asUsual}</option>
          {field.values.map((each) => <option key={each}>{each}</option>)}
        </select>
      );
    case 'switch':
      return (
        <select {...shared} className="input" value={value === undefined ? '' : String(value)} onChange={(event) => change(event.target.value === '' ? undefined : event.target.value === 'true')}>
          <option value="">{texts.play.usual(usual === 'true' ? texts.play.on : texts.play.off)}</option>
          <option value="true">{texts.play.on}</option>
          <option value="false">{texts.play.off}</option>
        </select>
      );
    case 'integer':
    case 'number':
      return (
        <input
          {...shared}
          className="input number"
          type="number"
          min={field.min}
          max={field.max}
          step={field.kind === 'integer' ? 1 : 'any'}
          placeholder={usual}
          value={typeof value === 'number' ? value : ''}
          onChange={(event) => change(event.target.value === '' ? undefined : Number(event.target.value))}
        />
      );
    case 'texts':
      return (
        <input
          {...shared}
          className="input"
          value={Array.isArray(value) ? value.join(', ') : ''}
          onChange={(event) => change(event.target.value === '' ? undefined : event.target.value.split(/, */))}
        />
      );
    case 'json':
      return <JsonControl shared={shared} value={value} onChange={change} />;
    case 'long':
      return <textarea {...shared} className="input" rows={3} value={String(value ?? '')} onChange={(event) => change(event.target.value || undefined)} />;
    default:
      return <input {...shared} className="input" placeholder={usual} value={String(value ?? '')} onChange={(event) => change(event.target.value || undefined)} />;
  }
}

type JsonProps = {
  shared: { id: string; 'aria-describedby': string };
  value: unknown;
  onChange: (value: unknown) => void;
};

/** A value that has no field of its own yet, as JSON. */
function JsonControl({ shared, value, onChange }: JsonProps) {
  const own = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [typed, setTyped] = useState<string | null>(null);
  const parsed = typed === null || typed.trim() === '' ? undefined : parse(typed);
  const isBroken = parsed?.isBroken ?? false;
  return (
    <>
      <textarea
        {...shared}
        className="input mono"
        rows={3}
        spellCheck={false}
        aria-invalid={isBroken}
        value={typed ?? own}
        onBlur={() => !isBroken && setTyped(null)}
        onChange={(event) => {
          setTyped(event.target.value);
          const next = event.target.value.trim() === '' ? { value: undefined, isBroken: false } : parse(event.target.value);
          if (!next.isBroken) onChange(next.value);
        }}
      />
      {isBroken && <p className="option-fault">{texts.play.notJson}</p>}
    </>
  );
}

function parse(text: string): { value: unknown; isBroken: boolean } {
  try {
    return { value: JSON.parse(text) as unknown, isBroken: false };
  } catch {
    return { value: undefined, isBroken: true };
  }
}

/** The fields whose name or description has the words, with the groups that they are in. */
function matching(all: OptionField[], words: string): OptionField[] {
  if (words === '') return all;
  return all.flatMap((field): OptionField[] => {
    if (`${labelOf(field.name)} ${field.name} ${field.description}`.toLowerCase().includes(words)) return [field];
    if (field.kind !== 'group') return [];
    const inner = matching(field.fields, words);
    return inner.length > 0 ? [{ ...field, fields: inner }] : [];
  });
}

function valueAt(output: Output, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), output);
}

/** The output with another value at a path; undefined removes it, and groups that are then empty. */
export function withValue(output: Output, path: string, value: unknown): Output {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : withValue(isObject(output[name]) ? output[name] : {}, rest.join('.'), value);
  const next = { ...output, [name]: inner };
  if (inner === undefined || (rest.length > 0 && isObject(inner) && Object.keys(inner).length === 0)) delete next[name];
  return next;
}

/** How many options are set below a value. */
export function countOf(value: unknown): number {
  if (value === undefined) return 0;
  if (!isObject(value)) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countOf(each), 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
