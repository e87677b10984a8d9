import { texts } from '../texts.ts';
import { WithCode } from '../ui/with-code.tsx';
import { shownPath } from './fields.ts';
import { goToField } from './form-context.ts';
import type { Fault, Totals } from './preflight.ts';
import type { Conformance } from './received.ts';
import { shownAmount, shownDecimal } from './shown.ts';
import { VerdictMark } from './verdict-mark.tsx';

const NAMES = [
  'line_total', 'allowance_total', 'charge_total', 'tax_basis_total', 'tax_total', 'grand_total', 'prepaid_amount', 'rounding_amount', 'due_amount',
] as const;
/** Shown only where they are not 0. */
const IF_ANY = new Set(['allowance_total', 'charge_total', 'prepaid_amount', 'rounding_amount']);

/** Taken from the total. */
const TAKEN = new Set(['allowance_total', 'prepaid_amount']);

/** What there is to change, each with a way to its field. */
export function Faults({ faults, onGo }: { faults: readonly Fault[]; onGo: () => void }) {
  const go = (path: string) => { onGo(); requestAnimationFrame(() => goToField(path)); };
  return (
    <ul className="fault-list">
      {faults.map((fault, number) => (
        <li key={number}>
          <button type="button" onClick={() => go(fault.path)} disabled={fault.path === ''}>
            {fault.path !== '' && <b>{shownPath(fault.path)}</b>}
            <span>{fault.rule && <code>{fault.rule}</code>} <WithCode text={fault.message} /></span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The totals, as the service computes them. */
export function TotalsTable({ totals, currency }: { totals: Totals; currency: string }) {
  const names = NAMES.filter((name) => !IF_ANY.has(name) || Number(totals[name]) !== 0);
  return (
    <table className="totals">
      <tbody>
        {names.map((name) => (
          <tr key={name} data-name={name}>
            <th scope="row">{texts.invoices.totals[name]}</th>
            <td className="figure">{TAKEN.has(name) && '−'}{shownAmount(totals[name])} {name === 'due_amount' && currency}</td>
          </tr>
        ))}
        {(totals.vat_breakdown ?? []).map((part) => (
          <tr key={`${part.category} ${part.rate}`} className="part">
            <th scope="row">{texts.invoices.make.vatOf(part.category, part.rate ? `${shownDecimal(part.rate)} %` : '')} {texts.invoices.make.on(shownAmount(part.taxable_amount))}</th>
            <td className="figure">{shownAmount(part.tax_amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the official validators say about the file. */
export function Verdicts({ conformance }: { conformance: Conformance }) {
  const { einvoice, pdfa, pdfua } = conformance;
  const rows = [
    ...(einvoice ? [{ name: einvoice.profile ? texts.invoices.profiles[einvoice.profile] : '', ...einvoice }] : []),
    ...(pdfa ? [{ name: `PDF/A-${pdfa.level}`, ...pdfa }] : []),
    ...(pdfua ? [{ name: pdfua.standard, ...pdfua }] : []),
  ];
  return (
    <ul className="verdicts">
      {rows.map(({ name, status, validator, warnings }) => (
        <li key={name} className={status}>
          <VerdictMark status={status} />
          <b>{name}</b> <span>{texts.invoices.chip[status]}{warnings.length > 0 && `, ${texts.invoices.verdict.warnings(warnings.length)}`}</span>
          {validator && <small>{validator}</small>}
        </li>
      ))}
    </ul>
  );
}
