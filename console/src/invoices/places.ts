import type { Json, JsonObject } from './invoice-field.ts';
import { descendants, type XmlNode } from './xml-outline.ts';

/** Elements of CII and UBL that hold a group of the model. */
const GROUPS: Record<string, string[]> = {
  seller: ['SellerTradeParty', 'AccountingSupplierParty'],
  buyer: ['BuyerTradeParty', 'AccountingCustomerParty'],
  payee: ['PayeeTradeParty', 'PayeeParty'],
  tax_representative: ['SellerTaxRepresentativeTradeParty', 'TaxRepresentativeParty'],
  delivery: ['ApplicableHeaderTradeDelivery', 'Delivery'],
  payment: ['SpecifiedTradeSettlementPaymentMeans', 'PaymentMeans'],
  lines: ['IncludedSupplyChainTradeLineItem', 'InvoiceLine', 'CreditNoteLine'],
  notes: ['IncludedNote', 'Note'],
  allowances: ['SpecifiedTradeAllowanceCharge', 'AllowanceCharge'],
  charges: ['SpecifiedTradeAllowanceCharge', 'AllowanceCharge'],
  invoice_period: ['BillingSpecifiedPeriod', 'InvoicePeriod'],
  period: ['BillingSpecifiedPeriod', 'InvoicePeriod'],
  preceding_invoices: ['InvoiceReferencedDocument', 'BillingReference'],
  supporting_documents: ['AdditionalReferencedDocument', 'AdditionalDocumentReference'],
  address: ['PostalTradeAddress', 'PostalAddress', 'Address'],
  contact: ['DefinedTradeContact', 'Contact'],
  electronic_address: ['URIUniversalCommunication', 'EndpointID'],
  item: ['SpecifiedTradeProduct', 'Item'],
  price: ['NetPriceProductTradePrice', 'Price'],
  vat: ['ApplicableTradeTax', 'CategoryTradeTax', 'ClassifiedTaxCategory', 'TaxCategory'],
};
/** Names of the elements of values that others are often equal to. */
const VALUES: Record<string, string[]> = {
  number: ['ID'],
  type_code: ['TypeCode', 'InvoiceTypeCode', 'CreditNoteTypeCode'],
  currency: ['InvoiceCurrencyCode', 'DocumentCurrencyCode'],
  issue_date: ['DateTimeString', 'IssueDate'],
  due_date: ['DateTimeString', 'DueDate'],
  country: ['CountryID', 'IdentificationCode'],
  quantity: ['BilledQuantity', 'InvoicedQuantity', 'CreditedQuantity'],
  net: ['ChargeAmount', 'PriceAmount'],
  net_amount: ['LineTotalAmount', 'LineExtensionAmount'],
  rate: ['RateApplicablePercent', 'Percent'],
  category: ['CategoryCode', 'ID'],
  name: ['Name', 'RegistrationName', 'PersonName'],
};
/** Where values are that no group of the model holds. */
const OWN_GROUPS = new Set([
  ...['seller', 'buyer', 'payee', 'tax_representative', 'lines', 'notes'].flatMap((name) => GROUPS[name] ?? []),
  ...['TaxTotal', 'LegalMonetaryTotal', 'SpecifiedTradeSettlementHeaderMonetarySummation'],
]);

// A value of an invoice of thousands of lines is not looked for in all of them.
const MAX_LEAVES = 1000;

/** Which element holds a value of the invoice, and which value an element holds. */
export type Places = { nodes: Map<string, XmlNode>; paths: Map<XmlNode, string> };

/** The elements of the values of an invoice, found by their groups, names and texts. */
export function placesOf(root: XmlNode | null, invoice: JsonObject | null): Places {
  const places: Places = { nodes: new Map(), paths: new Map() };
  if (root && invoice) findAll(invoice, 'invoice', [root], true, places);
  return places;
}

function findAll(value: Json, path: string, within: XmlNode[], isTop: boolean, places: Places): void {
  if (Array.isArray(value)) {
    for (const [number, each] of value.entries()) {
      const one = within[number];
      const group = `${path}[${number}]`;
      if (one && value.length === within.length) keep(places, group, one);
      findAll(each, group, one && value.length === within.length ? [one] : within, false, places);
    }
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      const groups = GROUPS[name];
      const inner = groups ? groupsIn(within, groups) : within;
      if (groups && inner.length === 1 && !Array.isArray(each) && inner[0]) keep(places, `${path}.${name}`, inner[0]);
      findAll(each, `${path}.${name}`, inner.length > 0 ? inner : within, isTop && !groups, places);
    }
    return;
  }
  const wanted = normal(String(value));
  const names = VALUES[path.split('.').at(-1) ?? ''];
  const equal = leavesOf(within, isTop).filter((node) => !places.paths.has(node) && normal(node.text) === wanted);
  const found = equal.find((node) => names?.includes(node.name)) ?? equal[0];
  if (found) keep(places, path, found);
}

function keep(places: Places, path: string, node: XmlNode): void {
  places.nodes.set(path, node);
  if (!places.paths.has(node)) places.paths.set(node, path);
}

/** The outermost elements of these names; lines are looked into only from a line. */
function groupsIn(within: XmlNode[], names: string[]): XmlNode[] {
  const found: XmlNode[] = [];
  const look = (node: XmlNode): void => {
    for (const child of node.children) {
      if (names.includes(child.name)) found.push(child);
      else if (!GROUPS.lines?.includes(child.name)) look(child);
    }
  };
  within.forEach(look);
  return found;
}

function leavesOf(within: XmlNode[], isTop: boolean): XmlNode[] {
  const found: XmlNode[] = [];
  for (const scope of within) {
    for (const leaf of leaves(scope, isTop)) {
      if (found.length === MAX_LEAVES) return found;
      found.push(leaf);
    }
  }
  return found;
}

function* leaves(scope: XmlNode, isTop: boolean): Generator<XmlNode> {
  if (scope.children.length === 0) yield scope;
  for (const child of scope.children) {
    if (!(isTop && OWN_GROUPS.has(child.name))) yield* leaves(child, isTop);
  }
}

/** A value as it is compared: `20260131` is `2026-01-31`, and `1.50` is `1.5`. */
function normal(text: string): string {
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (date) return date.slice(1).join('');
  if (/^-?\d{1,10}\.\d{1,6}$/.test(text)) return text.replace(/\.?0+$/, '');
  return text.replace(/\s+/g, ' ').trim();
}

/** Totals of an XML by the names of the contract, with the elements that hold them. */
export type PrintedTotal = { name: TotalName; value: string; currency: string; node: XmlNode };
export type TotalName = keyof typeof TOTALS;

const SUMMARY = new Set(['SpecifiedTradeSettlementHeaderMonetarySummation', 'LegalMonetaryTotal']);
const TOTALS = {
  line_total: ['LineTotalAmount', 'LineExtensionAmount'],
  allowance_total: ['AllowanceTotalAmount'],
  charge_total: ['ChargeTotalAmount'],
  tax_basis_total: ['TaxBasisTotalAmount', 'TaxExclusiveAmount'],
  tax_total: ['TaxTotalAmount', 'TaxAmount'],
  grand_total: ['GrandTotalAmount', 'TaxInclusiveAmount'],
  prepaid_amount: ['TotalPrepaidAmount', 'PrepaidAmount'],
  rounding_amount: ['RoundingAmount', 'PayableRoundingAmount'],
  due_amount: ['DuePayableAmount', 'PayableAmount'],
};

/** The totals that a document says it has, in the order of EN 16931. */
export function printedTotals(root: XmlNode | null): PrintedTotal[] {
  if (!root) return [];
  const holders = [...descendants(root)].filter(({ name, parent }) => SUMMARY.has(name) || (name === 'TaxTotal' && parent === root));
  return (Object.keys(TOTALS) as TotalName[]).flatMap((name) =>
    holders.flatMap((holder) => holder.children)
      .filter((node) => TOTALS[name].includes(node.name) && node.children.length === 0 && node.text !== '')
      .map((node) => ({ name, value: node.text, currency: node.attributes.currencyID ?? '', node })),
  );
}
