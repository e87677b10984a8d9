import { type KeyboardEvent, useState } from 'react';
import { texts } from '../texts.ts';
import { FieldInput } from './field-input.tsx';
import { fieldAt, valueAt } from './fields.ts';
import { FaultLine, Fields } from './form-fields.tsx';
import { idOf, useForm } from './form-context.ts';
import type { GroupField, InvoiceField } from './invoice-field.ts';

const COLUMNS = [
  { name: 'name', path: 'item.name' },
  { name: 'quantity', path: 'quantity' },
  { name: 'unit', path: 'unit' },
  { name: 'price', path: 'price.net' },
  { name: 'category', path: 'vat.category' },
  { name: 'rate', path: 'vat.rate' },
] as const;
const IN_COLUMNS = new Set<string>(COLUMNS.map(({ path }) => `lines[].${path}`));
const STEP = 100;

/** The lines as a table that is written in, with the keyboard as in a sheet. */
export function LinesTable({ field }: { field: GroupField }) {
  const { invoice, onChange } = useForm();
  const value = valueAt(invoice, 'lines');
  const count = Array.isArray(value) ? value.length : 0;
  const [limit, setLimit] = useState(STEP);
  const [open, setOpen] = useState<number | null>(null);
  const more = withoutColumns(field.fields);
  const shown = Math.min(count, limit);
  const words = texts.invoices.make;

  const add = (number: number) => {
    // Most lines of an invoice have the VAT of the line before.
    const vat = number > 0 ? valueAt(invoice, `lines[${number - 1}].vat`) : undefined;
    onChange(`lines[${number}]`, vat === undefined ? {} : { vat });
    setLimit((before) => Math.max(before, number + 1));
  };
  const focus = (number: number, path: string) => requestAnimationFrame(() => document.getElementById(idOf(`lines[${number}].${path}`))?.focus());
  const onKeys = (event: KeyboardEvent<HTMLElement>, number: number, path: string) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const isSelect = event.currentTarget instanceof HTMLSelectElement;
    const isDown = event.key === 'Enter' || (event.key === 'ArrowDown' && !isSelect);
    const isUp = event.key === 'ArrowUp' && !isSelect;
    // A list of codes that is open takes the arrows itself, but not in the columns of numbers.
    if (!(isDown || isUp) || (event.key !== 'Enter' && path === 'unit')) return;
    event.preventDefault();
    if (event.key === 'Enter' && number === count - 1) { add(count); focus(count, path); return; }
    const next = number + (isDown ? 1 : -1);
    if (next >= 0 && next < count) focus(next, path);
  };

  return (
    <div className="lines" id={idOf('lines')}>
      <FaultLine path="lines" />
      <table className="lines-table">
        <caption className="hidden">{words.sections.lines}. {words.lineKeys}</caption>
        <thead>
          <tr>
            <th scope="col" className="line-number">{words.lineNumber}</th>
            {COLUMNS.map(({ name, path }) => <th key={name} scope="col" data-column={name}>{words.lineColumns[name]}<code className="term">{fieldAt(`lines[0].${path}`)?.term}</code></th>)}
            <th scope="col"><span className="hidden">{words.lineMoreShort}</span></th>
          </tr>
        </thead>
        {Array.from({ length: shown }, (_, number) => (
          <tbody key={number} id={idOf(`lines[${number}]`)}>
            <tr>
              <th scope="row" className="line-number">{number + 1}</th>
              {COLUMNS.map(({ name, path }) => (
                <td key={name} data-column={name}>
                  <FieldInput
                    field={fieldAt(`lines[0].${path}`) as InvoiceField}
                    path={`lines[${number}].${path}`}
                    label={words.lineField(words.lineColumns[name], number + 1)}
                    onKeyDown={(event) => onKeys(event, number, path)}
                  />
                </td>
              ))}
              <td className="line-buttons">
                <button type="button" className="link" aria-expanded={open === number} aria-label={words.lineMore(number + 1)} onClick={() => setOpen(open === number ? null : number)}>{words.lineMoreShort}</button>
              </td>
            </tr>
            <Faults number={number} />
            {open === number && (
              <tr className="line-more">
                <td colSpan={COLUMNS.length + 2}>
                  <Fields fields={more} path={`lines[${number}]`} />
                  {count > 1 && <button type="button" className="link line-remove" onClick={() => { onChange(`lines[${number}]`, undefined); setOpen(null); }}>{words.removeEntry(words.entries.lines ?? '', number + 1)}</button>}
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
      {count > shown && <button type="button" className="link" onClick={() => setLimit(limit + STEP)}>{words.showLines(count - shown)}</button>}
      <button type="button" className="button field-add" onClick={() => { add(count); focus(count, 'item.name'); }}>{words.add(words.entries.lines ?? '')}</button>
    </div>
  );
}

/** What is wrong in the columns of a line, below it. */
function Faults({ number }: { number: number }) {
  const { faultAt } = useForm();
  const paths = ['', '.item', '.price', '.vat', ...COLUMNS.map(({ path }) => `.${path}`)].map((path) => `lines[${number}]${path}`).filter((path) => faultAt(path));
  if (paths.length === 0) return null;
  return <tr className="line-faults"><td colSpan={COLUMNS.length + 2}>{paths.map((path) => <FaultLine key={path} path={path} />)}</td></tr>;
}

/** The fields of a line that have no column. */
function withoutColumns(fields: InvoiceField[]): InvoiceField[] {
  return fields.flatMap((field): InvoiceField[] => {
    if (IN_COLUMNS.has(field.path)) return [];
    if (field.kind !== 'group') return [{ ...field, isRequired: false }];
    const inner = withoutColumns(field.fields);
    return inner.length > 0 ? [{ ...field, isRequired: false, fields: inner }] : [];
  });
}
