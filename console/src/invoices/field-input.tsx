import { type ChangeEvent, type KeyboardEvent, useId } from 'react';
import { texts } from '../texts.ts';
import { valueAt } from './fields.ts';
import { idOf, useForm } from './form-context.ts';
import type { InvoiceField } from './invoice-field.ts';

const DECIMAL_COMMA = /^(-?\d+),(\d*)$/;
const CODES = new Set(Object.keys(texts.invoiceCodes));

type Props = {
  field: InvoiceField;
  /** The path of this value, with the positions of entries. */
  path: string;
  /** A name where no label stands beside the input. */
  label?: string;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
};

/** The input of one value. */
export function FieldInput({ field, path, label, onKeyDown }: Props) {
  const { invoice, onChange, faultAt, onVisit } = useForm();
  const value = valueAt(invoice, path);
  const fault = faultAt(path);
  const shared = {
    id: idOf(path),
    className: field.kind === 'decimal' ? 'input number' : 'input',
    value: value === undefined || value === null || typeof value === 'object' ? '' : String(value),
    'aria-label': label,
    'aria-invalid': fault !== null,
    'aria-required': field.isRequired,
    'aria-describedby': label === undefined ? `${idOf(path)}-help` : undefined,
    placeholder: field.usual ?? (field.name === 'scheme' ? texts.invoices.make.scheme : undefined),
    onBlur: () => onVisit(path),
    onKeyDown,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) => {
      const text = event.target.value;
      const typed = field.kind === 'decimal' ? text.replace(DECIMAL_COMMA, '$1.$2') : text;
      onChange(path, typed === '' ? undefined : typed);
    },
  };
  switch (field.kind) {
    case 'choice':
      return (
        <select {...shared}>
          <option value="">{field.isRequired ? texts.invoices.make.choose : texts.invoices.make.none}</option>
          {field.values.map((each) => <option key={each} value={each}>{wordOf(field.name, each)}</option>)}
        </select>
      );
    case 'long':
      return <textarea {...shared} rows={2} />;
    case 'date':
      return <input {...shared} type="date" />;
    case 'decimal':
      return <input {...shared} inputMode="decimal" autoComplete="off" />;
    default:
      return CODES.has(codesOf(field.name)) ? <CodeInput shared={shared} codes={codesOf(field.name)} /> : <input {...shared} autoComplete="off" />;
  }
}

/** A code, with the frequent ones to choose from. */
function CodeInput({ shared, codes }: { shared: object; codes: string }) {
  const list = useId();
  return (
    <>
      <input {...shared} list={list} autoComplete="off" />
      <datalist id={list}>
        {Object.entries(texts.invoiceCodes[codes] ?? {}).map(([code, word]) => <option key={code} value={code}>{word}</option>)}
      </datalist>
    </>
  );
}

function codesOf(name: string): string {
  return name.replace(/^(?:tax|origin|base)_/, '');
}

function wordOf(name: string, code: string): string {
  const { categories, taxPoints } = texts.invoices.make;
  const word = name === 'category' ? categories[code] : taxPoints[code];
  return word ? `${code} · ${word}` : code;
}
