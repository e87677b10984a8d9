/** How values of invoices are written for people. Decimals are texts, so that no digit is lost. */

const DATE = /^\d{4}-\d\d-\d\d$/;
const DECIMAL = /^-?\d{1,12}(?:\.\d{1,6})?$/;
const LOCALES = ['de-DE', 'en-US', 'en-GB', 'en-IE', 'fr-FR', 'nl-NL', 'it-IT', 'es-ES', 'pl-PL', 'sv-SE'];
const STYLES = ['short', 'medium', 'long'] as const;

export function shownDate(text: string): string {
  const date = dateOf(text);
  return date ? new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' }).format(date) : text;
}

/** An amount with two places, as the reader writes numbers. */
export function shownAmount(text: string): string {
  return DECIMAL.test(text) ? formatted(undefined, text, 2) : text;
}

/** A quantity or a rate with the places that it has. */
export function shownDecimal(text: string): string {
  return DECIMAL.test(text) ? formatted(undefined, text, 0) : text;
}

/** The ways in which a document may print a value. */
export function printedForms(text: string): string[] {
  const date = dateOf(text);
  const forms = new Set([text]);
  if (date) {
    for (const locale of LOCALES) for (const dateStyle of STYLES) forms.add(new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(date));
    const [year = '', month = '', day = ''] = text.split('-');
    forms.add(`${day}.${month}.${year}`).add(`${day}/${month}/${year}`);
  } else if (DECIMAL.test(text)) {
    for (const locale of LOCALES) for (const places of [2, 0]) forms.add(formatted(locale, text, places));
  }
  return [...forms];
}

function dateOf(text: string): Date | null {
  const date = DATE.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return date && !Number.isNaN(date.getTime()) ? date : null;
}

function formatted(locale: string | undefined, text: string, places: number): string {
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: places, maximumFractionDigits: 6 });
  return format.format(text as Intl.StringNumericLiteral);
}
