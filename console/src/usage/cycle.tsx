import type { Account } from '../api/account.ts';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';

/** A plan without an allowance to use up has a number that nobody reaches. */
const NO_END = 1_000_000_000;
const day = new Intl.DateTimeFormat(undefined, { month: 'long', day: 'numeric', timeZone: 'UTC' });
const euros = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'EUR', minimumFractionDigits: 0 });

/** The present cycle as one bar: used, reserved by what runs, left, and packs. */
export function Cycle({ account }: { account: Account }) {
  const { included, used, remaining_included: left, prepaid_remaining: prepaid, spend_cap_cents: cap } = account.renders;
  const { start, end } = account.cycle;
  const isEndless = included >= NO_END;
  const reserved = Math.max(0, included - used - left);
  const days = Math.max(0, Math.ceil((Date.parse(end) - Date.now()) / 86_400_000));
  const parts = [
    { name: 'used', value: used },
    { name: 'reserved', value: reserved },
    { name: 'left', value: left },
    { name: 'packs', value: prepaid },
  ] as const;
  return (
    <section className="cycle" aria-label={texts.usage.cycle}>
      <p className="cycle-head">
        <b>{shownNumber(used)}</b>
        <span>{isEndless ? texts.usage.usedOnly : texts.usage.usedOf(shownNumber(included))}</span>
        <span className="spacer" />
        <span className="quiet">{texts.usage.until(account.plan.code, day.format(new Date(start)), day.format(new Date(end)), days)}</span>
      </p>
      {!isEndless && (
        <>
          <div className="cycle-bar" aria-hidden="true">{parts.map(({ name, value }) => value > 0 && <i key={name} className={name} style={{ flexGrow: value }} />)}</div>
          <ul className="cycle-parts">
            {parts.map(({ name, value }) => (value > 0 || name === 'used' || name === 'left') && <li key={name}><i className={`cycle-swatch ${name}`} aria-hidden="true" /><span><b>{shownNumber(value)}</b> {texts.usage.parts[name]}</span></li>)}
          </ul>
        </>
      )}
      <p className="quiet">{isEndless ? texts.usage.endless : cap === 0 ? texts.usage.noTopUps : texts.usage.topUps(euros.format(cap / 100))} {texts.usage.billedOnly}</p>
    </section>
  );
}
