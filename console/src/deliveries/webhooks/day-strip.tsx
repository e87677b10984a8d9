import { texts } from '../../texts.ts';
import type { Day, Delivery } from './queries.ts';

const HOUR_MS = 60 * 60 * 1000;
const HOURS = 24;
/** The lowest share of the height that a bar has. */
const LOWEST = 0.25;

type Hour = { begin: Date; good: number; bad: number; waiting: number; canceled: number };

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Deliveries of the last 24 hours as one bar an hour; the newest is at the right. */
export function DayStrip({ day, label, isLarge = false }: { day: Day; label: string; isLarge?: boolean }) {
  const hours = hoursOf(day);
  const most = Math.max(...hours.map(totalOf));
  return (
    <div className={isLarge ? 'day-strip large' : 'day-strip'}>
      <ol className="day-bars" aria-label={label}>
        {hours.map((hour) => (
          <li key={hour.begin.getTime()} title={sentenceOf(hour)}>
            <span className="hidden">{sentenceOf(hour)}</span>
            <Bar hour={hour} most={most} />
          </li>
        ))}
      </ol>
      {isLarge && (
        <>
          <p className="day-axis" aria-hidden="true"><span>{clock.format(hours[0]?.begin)}</span><span>{texts.deliveries.webhooks.now}</span></p>
          <details className="day-table">
            <summary>{texts.deliveries.webhooks.asTable}</summary>
            <table className="plain">
              <caption className="hidden">{label}</caption>
              <thead>
                <tr>
                  <th scope="col">{texts.deliveries.webhooks.hour}</th>
                  {(['good', 'bad', 'waiting', 'canceled'] as const).map((each) => <th key={each} scope="col" className="figure">{texts.deliveries.webhooks.counts[each]}</th>)}
                </tr>
              </thead>
              <tbody>
                {hours.filter((hour) => totalOf(hour) > 0).reverse().map((hour) => (
                  <tr key={hour.begin.getTime()}>
                    <th scope="row">{spanOf(hour)}</th>
                    <td className="figure">{hour.good}</td><td className="figure">{hour.bad}</td><td className="figure">{hour.waiting}</td><td className="figure">{hour.canceled}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
      {!day.isWhole && <p className="quiet">{texts.deliveries.webhooks.partOfDay(day.deliveries.length)}</p>}
    </div>
  );
}

function Bar({ hour, most }: { hour: Hour; most: number }) {
  const total = totalOf(hour);
  if (total === 0) return <i className="day-none" />;
  const height = `${100 * (LOWEST + (1 - LOWEST) * (total / most))}%`;
  return (
    <i className="day-bar" style={{ height }}>
      {(['canceled', 'waiting', 'good', 'bad'] as const).map((each) => hour[each] > 0 && <b key={each} className={`day-${each}`} style={{ flexGrow: hour[each] }} />)}
    </i>
  );
}

function hoursOf({ now, deliveries }: Day): Hour[] {
  const end = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, number): Hour => (
    { begin: new Date(end - (HOURS - number) * HOUR_MS), good: 0, bad: 0, waiting: 0, canceled: 0 }
  ));
  for (const delivery of deliveries) {
    const hour = hours[HOURS - 1 - Math.floor((end - 1 - Date.parse(delivery.created_at)) / HOUR_MS)];
    if (hour) hour[kindOf(delivery)] += 1;
  }
  return hours;
}

function kindOf({ status }: Delivery): 'good' | 'bad' | 'waiting' | 'canceled' {
  return ({ succeeded: 'good', failed: 'bad', retrying: 'waiting', pending: 'waiting', canceled: 'canceled' } as const)[status];
}

function totalOf(hour: Hour): number {
  return hour.good + hour.bad + hour.waiting + hour.canceled;
}

function spanOf({ begin }: Hour): string {
  return `${clock.format(begin)}–${clock.format(new Date(begin.getTime() + HOUR_MS))}`;
}

function sentenceOf(hour: Hour): string {
  const { counts, noneThen } = texts.deliveries.webhooks;
  const parts = (['good', 'bad', 'waiting', 'canceled'] as const).filter((each) => hour[each] > 0);
  return `${spanOf(hour)}: ${parts.length === 0 ? noneThen : parts.map((each) => `${hour[each]} ${counts[each].toLowerCase()}`).join(', ')}`;
}
