import type { Account } from '../api/account.ts';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';

/** What of the limits is in use now, in words and as bars. */
export function Limits({ account }: { account: Account }) {
  const { in_use: inUse, limits } = account;
  const gauges = [
    { name: 'sync', value: inUse.sync, most: limits.sync_concurrency },
    { name: 'bulk', value: inUse.bulk, most: limits.bulk_concurrency },
    { name: 'rate', value: inUse.rate, most: limits.rate_limit_rps },
  ] as const;
  return (
    <section className="limits" aria-label={texts.usage.limits}>
      <h2>{texts.usage.limits}</h2>
      <ul>
        {gauges.map(({ name, value, most }) => (
          <li key={name} className={value >= most ? 'gauge full' : 'gauge'}>
            <span className="gauge-words"><b>{texts.usage.of(shownNumber(value), shownNumber(most))}</b> {texts.usage.gauges[name]}</span>
            <span className="gauge-bar" aria-hidden="true"><i style={{ width: `${Math.min(100, (value / most) * 100)}%` }} /></span>
            <span className="quiet">{value >= most ? texts.usage.full[name] : texts.usage.hints[name]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
