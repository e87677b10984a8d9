import { texts } from '../texts.ts';

const number = new Intl.NumberFormat();
const seconds = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(undefined, {
  year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit',
});
const short = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });

export function shownNumber(value: number): string {
  return number.format(value);
}

/** A duration with its unit. */
export function shownMs(ms: number): string {
  return ms < 10_000 ? texts.time.ms(number.format(Math.round(ms))) : texts.time.s(seconds.format(ms / 1000));
}

export function shownBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const step = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  const digits = step === 0 || value >= 100 ? 0 : 1;
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(value)} ${units[step]}`;
}

export function shownMoment(text: string): string {
  return moment.format(new Date(text));
}

export function shownShortMoment(text: string): string {
  return short.format(new Date(text));
}

/** A sum of time since a moment, such as `+84 ms`. */
export function shownSince(begin: string, end: string): string {
  return `+${shownMs(Date.parse(end) - Date.parse(begin))}`;
}
