import { createContext, type MouseEvent, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { texts } from '../texts.ts';
import { labelOf } from '../ui/label.ts';
import { fieldAt, innerPath, isObject, valueAt } from './fields.ts';
import type { Level, ShownFinding } from './findings.ts';
import type { Json, JsonObject } from './invoice-field.ts';
import type { PrintedTotal } from './places.ts';
import { shownAmount, shownDate, shownDecimal } from './shown.ts';
import type { XmlNode } from './xml-outline.ts';

type Props = {
  invoice: JsonObject;
  totals: readonly PrintedTotal[];
  findings: readonly ShownFinding[];
  /** The selected value, and the selected element of the XML. */
  selected: { path: string; node: XmlNode | null };
  onPath: (path: string) => void;
  onNode: (node: XmlNode) => void;
};
type Marks = { selected: string; levels: Map<string, Level>; holes: Map<string, string[]> };

const MAX_LINES = 200;
const AMOUNTS = new Set(['amount', 'base_amount', 'net_amount', 'net', 'gross', 'discount', 'prepaid_amount', 'rounding_amount', 'tax_total_in_tax_currency']);
const MarksOf = createContext<Marks>({ selected: '', levels: new Map(), holes: new Map() });

/** The content of an invoice as a page; each value can be selected. */
export function InvoicePage({ invoice, totals, findings, selected, onPath, onNode }: Props) {
  const page = useRef<HTMLElement>(null);
  const marks = useMemo(() => marksOf(invoice, findings), [invoice, findings]);
  const words = texts.invoices.page;
  const currency = textOf(invoice.currency);
  const lines = Array.isArray(invoice.lines) ? invoice.lines : [];

  useEffect(() => {
    const target = page.current?.querySelector('[data-selected="true"]') ?? nearestGroup(page.current, selected.path);
    target?.scrollIntoView({ block: 'center' });
  }, [selected.path, selected.node]);

  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    const path = target.closest<HTMLElement>('[data-path]')?.dataset.path;
    const total = totals[Number(target.closest<HTMLElement>('[data-total]')?.dataset.total ?? -1)];
    if (total) onNode(total.node);
    else if (path !== undefined && path !== '') onPath(path);
  };

  return (
    <MarksOf.Provider value={{ selected: selected.path, ...marks }}>
      <article className="invoice-paper" ref={page} aria-label={words.label} onClick={onClick}>
        <header className="invoice-head">
          <h2><Value path="type_code">{texts.invoices.kinds[textOf(invoice.type_code) || '380'] ?? textOf(invoice.type_code)}</Value> <Value path="number">{textOf(invoice.number)}</Value></h2>
          <p><Value path="issue_date">{shownDate(textOf(invoice.issue_date))}</Value></p>
        </header>
        <div className="invoice-parties">
          <Party title={words.from} path="seller" party={invoice.seller} />
          <Party title={words.to} path="buyer" party={invoice.buyer} />
        </div>
        <Part title={words.details} path="">
          <Facts value={invoice} path="" without={['type_code', 'number', 'issue_date', 'seller', 'buyer', 'lines', 'allowances', 'charges', 'notes']} />
        </Part>
        {lines.length > 0 && (
          <table className="invoice-lines">
            <caption>{words.lines}</caption>
            <thead>
              <tr>
                <th scope="col">{words.item}</th>
                <th scope="col" className="figure">{words.quantity}</th>
                <th scope="col" className="figure">{words.price}</th>
                <th scope="col" className="figure">{words.vat}</th>
                <th scope="col" className="figure">{words.net}</th>
              </tr>
            </thead>
            <tbody>{lines.slice(0, MAX_LINES).map((line, number) => isObject(line) && <Line key={number} line={line} path={`lines[${number}]`} />)}</tbody>
          </table>
        )}
        {lines.length > MAX_LINES && <p className="quiet">{words.more(lines.length - MAX_LINES)}</p>}
        {(['allowances', 'charges', 'notes'] as const).map((name) => (
          invoice[name] !== undefined && <Part key={name} title={labelOf(name)} path={name}><Facts value={{ [name]: invoice[name] }} path="" without={[]} isBare /></Part>
        ))}
        {totals.length > 0 && (
          <table className="invoice-totals">
            <caption>{words.totals}</caption>
            <tbody>
              {totals.map((total, number) => (
                <tr key={number} data-total={number} data-name={total.name} data-selected={total.node === selected.node || undefined}>
                  <th scope="row">{texts.invoices.totals[total.name]}</th>
                  <td className="figure">{shownAmount(total.value)} {total.currency || currency}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </article>
    </MarksOf.Provider>
  );
}

function Party({ title, path, party }: { title: string; path: string; party: Json | undefined }) {
  const value = isObject(party) ? party : {};
  return (
    <section>
      <h3>{title}</h3>
      <p className="invoice-name"><Value path={`${path}.name`}>{textOf(value.name)}</Value></p>
      {isObject(value.address) && <Address address={value.address} path={`${path}.address`} />}
      <Facts value={value} path={path} without={['name', 'address']} />
      <Holes of={path} />
    </section>
  );
}

function Address({ address, path }: { address: JsonObject; path: string }) {
  const line = (...names: string[]) => names.filter((name) => textOf(address[name]) !== '');
  const rows = [line('line1'), line('line2'), line('line3'), line('postcode', 'city'), line('subdivision', 'country')].filter((names) => names.length > 0);
  return (
    <address data-path={path}>
      {rows.map((names) => <span key={names.join()}>{names.map((name) => <Value key={name} path={`${path}.${name}`}>{textOf(address[name])}</Value>)}</span>)}
      <Holes of={path} />
    </address>
  );
}

function Part({ title, path, children }: { title: string; path: string; children: ReactNode }) {
  return (
    <section className="invoice-part">
      <h3>{title}</h3>
      {children}
      <Holes of={path} />
    </section>
  );
}

type FactsProps = { value: JsonObject; path: string; without: readonly string[]; isBare?: boolean };

/** All members of a group, as names and values. */
function Facts({ value, path, without, isBare = false }: FactsProps) {
  const names = Object.keys(value).filter((name) => !without.includes(name) && hasContent(value[name]));
  if (names.length === 0) return null;
  return (
    <dl className="invoice-facts">
      {names.map((name) => <Fact key={name} name={isBare ? '' : name} value={value[name] as Json} path={path === '' ? name : `${path}.${name}`} />)}
    </dl>
  );
}

function Fact({ name, value, path }: { name: string; value: Json; path: string }) {
  const isSelected = useIsSelected(path);
  if (Array.isArray(value)) return value.map((each, number) => <Fact key={number} name={name} value={each} path={`${path}[${number}]`} />);
  const label = name === '' ? null : <dt>{labelOf(name)}</dt>;
  if (!isObject(value)) return <>{label}<dd><Value path={path}>{shownValue(value, path)}</Value></dd></>;
  if ('id' in value && Object.keys(value).every((each) => each === 'id' || each === 'scheme')) {
    return <>{label}<dd data-path={path}><Value path={`${path}.id`}>{textOf(value.id)}</Value>{value.scheme !== undefined && <small> <Value path={`${path}.scheme`}>{textOf(value.scheme)}</Value></small>}<Holes of={path} /></dd></>;
  }
  return <>{label}<dd className="invoice-group" data-path={path} data-selected={isSelected}><Facts value={value} path={path} without={[]} /><Holes of={path} /></dd></>;
}

function Line({ line, path }: { line: JsonObject; path: string }) {
  const { item, price, vat } = line;
  const inner = { item: isObject(item) ? item : {}, price: isObject(price) ? price : {}, vat: isObject(vat) ? vat : {} };
  const { name: _name, description: _description, ...itemMore } = inner.item;
  const { net: _net, base_quantity: base, ...priceMore } = inner.price;
  const more = { ...line, item: itemMore, price: priceMore };
  return (
    <tr data-path={path} data-selected={useIsSelected(path)}>
      <td>
        <b><Value path={`${path}.item.name`}>{textOf(inner.item.name)}</Value></b>
        {inner.item.description !== undefined && <p className="quiet"><Value path={`${path}.item.description`}>{textOf(inner.item.description)}</Value></p>}
        <Facts value={more} path={path} without={['id', 'quantity', 'unit', 'net_amount', 'vat']} />
        <Holes of={path} /><Holes of={`${path}.item`} /><Holes of={`${path}.price`} /><Holes of={`${path}.vat`} />
      </td>
      <td className="figure"><Value path={`${path}.quantity`}>{shownDecimal(textOf(line.quantity))}</Value> <small><Value path={`${path}.unit`}>{textOf(line.unit)}</Value></small></td>
      <td className="figure"><Value path={`${path}.price.net`}>{shownAmount(textOf(inner.price.net))}</Value>{base !== undefined && <small> <Value path={`${path}.price.base_quantity`}>{texts.invoices.page.per(shownDecimal(textOf(base)))}</Value></small>}</td>
      <td className="figure"><Value path={`${path}.vat.category`}>{textOf(inner.vat.category)}</Value> {inner.vat.rate !== undefined && <Value path={`${path}.vat.rate`}>{`${shownDecimal(textOf(inner.vat.rate))} %`}</Value>}</td>
      <td className="figure"><Value path={`${path}.net_amount`}>{shownAmount(textOf(line.net_amount))}</Value></td>
    </tr>
  );
}

/** One value, with what the findings say about it. */
function Value({ path, children }: { path: string; children: string }) {
  const { levels } = useContext(MarksOf);
  const level = levels.get(path);
  return <span className={level ? `value ${level}` : 'value'} data-path={path} data-selected={useIsSelected(path)}>{children}</span>;
}

/** Values that are missing from a group, by the findings. */
function Holes({ of }: { of: string }) {
  const { holes, levels, selected } = useContext(MarksOf);
  return holes.get(of)?.map((path) => (
    <span key={path} className={`hole ${levels.get(path) ?? ''}`} data-path={path} data-selected={selected === path || undefined}>
      {labelOf(path.slice(of === '' ? 0 : of.length + 1).split('.').at(-1) ?? '')} {texts.invoices.missing}
    </span>
  ));
}

function useIsSelected(path: string): true | undefined {
  return useContext(MarksOf).selected === path || undefined;
}

function marksOf(invoice: JsonObject, findings: readonly ShownFinding[]): Pick<Marks, 'levels' | 'holes'> {
  const levels = new Map<string, Level>();
  const holes = new Map<string, string[]>();
  // Errors are first in the list, and stay.
  for (const finding of findings) {
    const path = innerPath(finding.path ?? '');
    if (path === '') continue;
    if (!levels.has(path)) levels.set(path, finding.level);
    if (valueAt(invoice, path) !== undefined) continue;
    const parent = parentWithValue(invoice, path);
    const others = holes.get(parent) ?? [];
    if (!others.includes(path)) holes.set(parent, [...others, path]);
  }
  return { levels, holes };
}

/** The element of the smallest group that is shown and has a path in it. */
function nearestGroup(page: HTMLElement | null, path: string): Element | null {
  for (let group = path; group !== ''; group = group.slice(0, Math.max(group.lastIndexOf('.'), 0))) {
    const found = page?.querySelector(`[data-path="${CSS.escape(group)}"]`);
    if (found) return found;
  }
  return null;
}

function parentWithValue(invoice: JsonObject, path: string): string {
  let parent = path;
  while (parent !== '') {
    const cut = Math.max(parent.lastIndexOf('.'), 0);
    parent = parent.slice(0, cut);
    if (parent === '' || isObject(valueAt(invoice, parent))) return parent;
  }
  return '';
}

function hasContent(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.values(value).some(hasContent);
}

function shownValue(value: Json, path: string): string {
  const text = textOf(value);
  const field = fieldAt(path);
  if (field?.kind === 'date') return shownDate(text);
  if (field?.kind === 'decimal') return AMOUNTS.has(field.name) ? shownAmount(text) : shownDecimal(text);
  return text;
}

function textOf(value: Json | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
