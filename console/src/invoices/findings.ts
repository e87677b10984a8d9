import type { components } from 'contract';
import { texts } from '../texts.ts';
import { innerPath, pathOfTerms, valueAt } from './fields.ts';
import type { JsonObject } from './invoice-field.ts';
import type { Places } from './places.ts';
import type { Conformance } from './received.ts';
import { nodeAt, type XmlNode } from './xml-outline.ts';

type Report = components['schemas']['EInvoiceReport'];
export type Level = 'error' | 'warning';
export type Subject = 'einvoice' | 'pdfa' | 'pdfua';
/** A finding of a report, with its number in the list and its place in the XML. */
export type ShownFinding = components['schemas']['Finding'] & { number: number; level: Level; subject: Subject; node: XmlNode | null };
/** A sheet of rules and whether the document keeps them. */
export type Sheet = { name: string; status: Report['status'] };

const SUBJECTS: readonly Subject[] = ['einvoice', 'pdfa', 'pdfua'];
const ENGINE = /^Saxon/;
/** Sheets by the names of their rules; rules of no other sheet are those of the first one. */
const OWN_RULES: [sheet: RegExp, rule: RegExp][] = [
  [/^XRechnung/, /^(?:BR-DE|BR-TMP|PEPPOL)/],
  [/^Peppol/, /^(?:PEPPOL|[A-Z]{2}-R-)/],
  [/^Factur-X/, /^(?:BR-FX|FX)/],
];

/** All findings, errors first. A place of the whole document is its root. */
export function findingsOf(conformance: Conformance, root: XmlNode | null): ShownFinding[] {
  const found = (['error', 'warning'] as const).flatMap((level) =>
    SUBJECTS.flatMap((subject) => {
      const report = conformance[subject];
      return (level === 'error' ? report?.errors : report?.warnings)?.map((finding) => ({ ...finding, level, subject })) ?? [];
    }),
  );
  return found.map((finding, index) => {
    const isInXml = root !== null && finding.subject === 'einvoice' && finding.location.startsWith('/');
    const node = isInXml ? nodeAt(root, finding.location) : null;
    // What is missing from the whole document has no place of its own, but a number in the words of the rule.
    const named = node === root || node?.children.length ? pathOfTerms(finding.message) : null;
    const path = finding.path ?? (finding.subject === 'einvoice' && named ? `invoice.${named}` : null);
    return { ...finding, number: index + 1, node, path };
  });
}

/** The path of the value that a finding is about, without `invoice`; empty if it is unknown. */
export function pathOfFinding(finding: ShownFinding, places: Places): string {
  if (finding.path) return innerPath(finding.path);
  for (let node = finding.node; node; node = node.parent) {
    const path = places.paths.get(node);
    if (path) return innerPath(path);
  }
  return '';
}

/** What a document is, and what is wrong with it, in one sentence. */
export function verdictOf(conformance: Conformance): { status: Report['status']; sentence: string } {
  const words = texts.invoices.verdict;
  const report = conformance.einvoice;
  const reports = SUBJECTS.flatMap((subject) => conformance[subject] ?? []);
  const errors = reports.reduce((sum, each) => sum + each.errors.length, 0);
  const warnings = reports.reduce((sum, each) => sum + each.warnings.length, 0);
  const counts = words.join([...(errors > 0 ? [words.errors(errors)] : []), ...(warnings > 0 ? [words.warnings(warnings)] : [])]);
  if (!report || report.syntax === null) return { status: 'failed', sentence: words.noInvoice };
  if (report.profile === null) return { status: report.status, sentence: words.noRules };
  const what = `${texts.invoices.profiles[report.profile]} (${texts.invoices.syntaxes[report.syntax]})`;
  if (report.status === 'unavailable') return { status: 'unavailable', sentence: words.noVerdict(what) };
  if (report.status === 'failed') return { status: 'failed', sentence: words.withCounts(words.invalid(what), counts) };
  const broken = (['pdfa', 'pdfua'] as const).filter((subject) => conformance[subject]?.status === 'failed');
  if (broken.length === 0) return { status: 'passed', sentence: words.validCounts(words.valid(what), counts) };
  const but = words.butPdf(words.join(broken.map((subject) => texts.invoices.subjects[subject])));
  return { status: 'failed', sentence: words.withCounts(words.valid(what) + but, counts) };
}

/** The sheets of rules that judged a document. */
export function sheetsOf(conformance: Conformance): Sheet[] {
  const sheets: Sheet[] = [];
  const { einvoice, pdfa, pdfua } = conformance;
  const names = (einvoice?.validator ?? '').split('; ').filter((name) => name !== '' && !ENGINE.test(name));
  for (const name of names) {
    const broken = einvoice?.errors.some(({ rule }) => sheetOf(rule, names) === name) ?? false;
    sheets.push({ name, status: einvoice?.status === 'failed' ? (broken ? 'failed' : 'passed') : (einvoice?.status ?? 'unavailable') });
  }
  if (pdfa) sheets.push({ name: [`PDF/A-${pdfa.level}`, pdfa.validator].filter(Boolean).join(', '), status: pdfa.status });
  if (pdfua) sheets.push({ name: [pdfua.standard, pdfua.validator].filter(Boolean).join(', '), status: pdfua.status });
  return sheets;
}

function sheetOf(rule: string, names: string[]): string | undefined {
  return OWN_RULES.flatMap(([sheet, own]) => (own.test(rule) ? names.filter((name) => sheet.test(name)) : []))[0] ?? names[0];
}

/** The text of a value, to look for it in the pages of a PDF; null if there is none. */
export function textAt(invoice: JsonObject | null, path: string): string | null {
  const value = invoice && path !== '' ? valueAt(invoice, path) : undefined;
  return value === undefined || value === null || typeof value === 'object' ? null : String(value);
}
