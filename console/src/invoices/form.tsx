import sections from 'virtual:invoice-form';
import { memo, useMemo } from 'react';
import { texts } from '../texts.ts';
import type { ChangeInvoice } from './draft.ts';
import { valueAt } from './fields.ts';
import { FormContext, goToField, idOf, useForm } from './form-context.ts';
import { Entries, FaultLine, Fields, hasContent, Term } from './form-fields.tsx';
import type { InvoiceField, InvoiceSection, JsonObject } from './invoice-field.ts';
import { LinesTable } from './lines-table.tsx';
import type { Fault } from './preflight.ts';

type Props = {
  invoice: JsonObject;
  faults: readonly Fault[];
  visited: ReadonlySet<string>;
  /** Whether a file was asked for, so that all that is missing is shown. */
  isAsked: boolean;
  onChange: ChangeInvoice;
  onVisit: (path: string) => void;
};

/** The invoice as a form, in the order of EN 16931. */
export const InvoiceForm = memo(function InvoiceForm({ invoice, faults, visited, isAsked, onChange, onVisit }: Props) {
  const byPath = useMemo(() => new Map(faults.map((fault) => [fault.path, fault])), [faults]);
  const form = useMemo(() => {
    const faultAt = (path: string) => {
      const fault = byPath.get(path) ?? null;
      return fault?.isMissing && !isAsked && !visited.has(path) ? null : fault;
    };
    return { invoice, onChange, onVisit, faultAt };
  }, [invoice, onChange, onVisit, byPath, isAsked, visited]);
  return (
    <FormContext.Provider value={form}>
      <nav className="section-list" aria-label={texts.invoices.make.sectionList}>
        <ul>
          {sections.map((section) => (
            <li key={section.name}>
              <button type="button" className={isUsed(section, invoice) ? 'used' : ''} onClick={() => goToField(`section.${section.name}`)}>{texts.invoices.make.sections[section.name]}</button>
            </li>
          ))}
        </ul>
      </nav>
      <form className="invoice-form" onSubmit={(event) => event.preventDefault()} noValidate>
        {sections.map((section) => <Section key={section.name} section={section} />)}
      </form>
    </FormContext.Provider>
  );
});

function Section({ section }: { section: InvoiceSection }) {
  const { invoice, onChange } = useForm();
  const [only] = section.fields;
  const title = texts.invoices.make.sections[section.name] ?? section.name;
  const isOptional = section.fields.every(({ isRequired }) => !isRequired) && section.name !== 'totals';
  const isOpen = !isOptional || valueAt(invoice, section.name) !== undefined;
  const head = <h2>{title}<Term term={section.term} /></h2>;
  if (only === undefined) return null;
  if (!isOpen) {
    const add = () => onChange(section.name, only.kind === 'list' ? [{}] : {});
    return (
      <section className="form-section closed" id={idOf(`section.${section.name}`)}>
        {head}
        <FaultLine path={section.name} />
        <button type="button" className="link" onClick={add}>{texts.invoices.make.add(texts.invoices.make.entries[section.name] ?? title.toLowerCase())}</button>
      </section>
    );
  }
  return (
    <section className="form-section" id={idOf(`section.${section.name}`)} aria-label={title}>
      <div className="section-head">
        {head}
        {isOptional && <button type="button" className="link" aria-label={`${texts.invoices.make.remove}: ${title}`} onClick={() => onChange(section.name, undefined)}>{texts.invoices.make.remove}</button>}
      </div>
      <Body section={section} only={only} />
    </section>
  );
}

function Body({ section, only }: { section: InvoiceSection; only: InvoiceField }) {
  if (section.fields.length > 1 || only.name !== section.name) return <Fields fields={section.fields} path="" />;
  if (only.name === 'lines' && only.kind === 'list') return <LinesTable field={only} />;
  if (only.kind === 'list') return <Entries field={only} path={only.path} />;
  if (only.kind === 'group') return <div id={idOf(only.path)}><FaultLine path={only.path} /><Fields fields={only.fields} path={only.path} /></div>;
  return <Fields fields={[only]} path="" />;
}

function isUsed({ fields }: InvoiceSection, invoice: JsonObject): boolean {
  return fields.some(({ path }) => hasContent(valueAt(invoice, path)));
}
