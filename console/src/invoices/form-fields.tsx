import { useState } from 'react';
import { texts } from '../texts.ts';
import { labelOf } from '../ui/label.ts';
import { WithCode } from '../ui/with-code.tsx';
import { FieldInput } from './field-input.tsx';
import { isObject, valueAt } from './fields.ts';
import { idOf, useForm } from './form-context.ts';
import type { GroupField, InvoiceField, Json } from './invoice-field.ts';

type Props = { fields: readonly InvoiceField[]; path: string };

/** Fields of a group: those that are usual, needed or set, and the others on demand. */
export function Fields({ fields, path }: Props) {
  const { invoice, faultAt } = useForm();
  const [isWhole, setWhole] = useState(false);
  const isShown = (field: InvoiceField) => {
    const place = join(path, field.name);
    return field.isRequired || field.isUsual || hasContent(valueAt(invoice, place)) || faultAt(place) !== null;
  };
  const hasUsual = fields.some((field) => field.isUsual || field.isRequired);
  const others = hasUsual ? fields.filter((field) => !isShown(field)) : [];
  const shown = isWhole ? fields : fields.filter((field) => !others.includes(field));
  return (
    <div className="field-grid">
      {shown.map((field) => <Field key={field.name} field={field} path={join(path, field.name)} />)}
      {(others.length > 0 || isWhole) && hasUsual && (
        <button type="button" className="link field-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? texts.invoices.make.fewer : texts.invoices.make.more(others.length)}
        </button>
      )}
    </div>
  );
}

function Field({ field, path }: { field: InvoiceField; path: string }) {
  if (field.kind === 'group') return isIdentifier(field) ? <Identifier field={field} path={path} /> : <Group field={field} path={path} />;
  if (field.kind === 'list') return <Entries field={field} path={path} />;
  if (field.kind === 'map') return <Keyed field={field} path={path} />;
  return (
    <div className={field.kind === 'long' ? 'field wide' : 'field'}>
      <label htmlFor={idOf(path)}>{labelOf(field.name)}<Term term={field.term} /></label>
      <FieldInput field={field} path={path} />
      <FaultLine path={path} />
      <p className="field-help" id={`${idOf(path)}-help`}><WithCode text={field.description} /></p>
    </div>
  );
}

/** An identifier and its scheme, side by side. */
function Identifier({ field, path }: { field: GroupField; path: string }) {
  const [id, scheme] = field.fields;
  if (!id || !scheme) return null;
  const label = labelOf(field.name);
  return (
    <div className="field" id={idOf(path)} role="group" aria-label={label}>
      <label htmlFor={idOf(`${path}.id`)}>{label}<Term term={field.term} /></label>
      <div className="field-pair">
        <FieldInput field={id} path={`${path}.id`} />
        <FieldInput field={scheme} path={`${path}.scheme`} label={`${label}: ${labelOf(scheme.name)}`} />
      </div>
      {[path, `${path}.id`, `${path}.scheme`].map((place) => <FaultLine key={place} path={place} />)}
      <p className="field-help" id={`${idOf(`${path}.id`)}-help`}><WithCode text={`${field.description} ${scheme.description}`} /></p>
    </div>
  );
}

function Group({ field, path }: { field: GroupField; path: string }) {
  return (
    <fieldset className="field-group" id={idOf(path)}>
      <legend>{labelOf(field.name)}<Term term={field.term} /></legend>
      <FaultLine path={path} />
      <Fields fields={field.fields} path={path} />
    </fieldset>
  );
}

/** Entries of a list, with buttons that add and remove one. */
export function Entries({ field, path }: { field: GroupField; path: string }) {
  const { invoice, onChange } = useForm();
  const value = valueAt(invoice, path);
  const entries = Array.isArray(value) ? value : [];
  const word = texts.invoices.make.entries[field.name] ?? labelOf(field.name).toLowerCase();
  return (
    <fieldset className="field-group" id={idOf(path)}>
      <legend>{labelOf(field.name)}<Term term={field.term} /></legend>
      <FaultLine path={path} />
      {entries.map((_, number) => (
        <div key={number} className="field-entry">
          <Fields fields={field.fields} path={`${path}[${number}]`} />
          <button type="button" className="link" aria-label={texts.invoices.make.removeEntry(word, number + 1)} onClick={() => onChange(`${path}[${number}]`, undefined)}>{texts.invoices.make.remove}</button>
        </div>
      ))}
      <button type="button" className="button field-add" onClick={() => onChange(`${path}[${entries.length}]`, {})}>{texts.invoices.make.add(word)}</button>
    </fieldset>
  );
}

/** Entries by a key, such as the reasons of VAT categories. */
function Keyed({ field, path }: { field: Extract<InvoiceField, { kind: 'map' }>; path: string }) {
  const { invoice, onChange } = useForm();
  const value = valueAt(invoice, path);
  const entries = isObject(value) ? value : {};
  const free = field.keys.filter((key) => !(key in entries));
  const word = texts.invoices.make.entries[field.name] ?? labelOf(field.name);
  return (
    <fieldset className="field-group" id={idOf(path)}>
      <legend>{labelOf(field.name)}<Term term={field.term} /></legend>
      <FaultLine path={path} />
      {Object.keys(entries).map((key) => (
        <div key={key} className="field-entry" id={idOf(`${path}.${key}`)}>
          <p className="field-key">{key} · {texts.invoices.make.categories[key]}</p>
          <FaultLine path={`${path}.${key}`} />
          <Fields fields={field.fields} path={`${path}.${key}`} />
          <button type="button" className="link" onClick={() => onChange(`${path}.${key}`, undefined)}>{texts.invoices.make.remove}</button>
        </div>
      ))}
      <select className="input field-add" value="" aria-label={texts.invoices.make.add(word)} onChange={(event) => onChange(`${path}.${event.target.value}`, {})}>
        <option value="">{texts.invoices.make.add(word)}</option>
        {free.map((key) => <option key={key} value={key}>{key} · {texts.invoices.make.categories[key]}</option>)}
      </select>
    </fieldset>
  );
}

/** What is wrong at a path. */
export function FaultLine({ path }: { path: string }) {
  const fault = useForm().faultAt(path);
  return fault && <p className="field-fault" role="alert">{fault.rule && <code>{fault.rule}</code>} <WithCode text={fault.message} /></p>;
}

export function Term({ term }: { term: string }) {
  return term === '' ? null : <code className="term">{term}</code>;
}

function isIdentifier(field: GroupField): boolean {
  return field.fields.length === 2 && field.fields[0]?.name === 'id' && field.fields[1]?.name === 'scheme';
}

export function hasContent(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.values(value).some(hasContent);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
