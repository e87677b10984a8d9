import { useState } from 'react';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';
import type { Usage } from './queries.ts';

const HEIGHT = 160;
const DAY_MS = 86_400_000;
const KINDS = ['live', 'test', 'failed'] as const;
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', month: 'short', day: 'numeric', timeZone: 'UTC' });
const short = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

type Day = Usage['days'][number];

type Props = {
  days: readonly Day[];
  /** Days that are still to come have room. */
  ahead: number;
};

/** Days as columns of live, test and failed renders; the table has the same figures. */
export function Days({ days, ahead }: Props) {
  const [shown, setShown] = useState<number | null>(null);
  const top = niceTop(Math.max(1, ...days.map(sumOf)));
  const sums = sumsOf(shown === null ? days : days.slice(shown, shown + 1));
  const label = shown === null ? texts.usage.allDays(days.length) : day.format(new Date(days[shown]?.date ?? ''));
  const slots = days.length + ahead;
  const first = Date.parse(days[0]?.date ?? '');
  const ticks = [0, Math.floor(slots / 2), slots - 1].filter((at, place, all) => all.indexOf(at) === place);
  return (
    <div className="days">
      <p className="days-line">
        <b>{label}</b>
        {KINDS.map((kind) => <span key={kind}><i className={`day-swatch ${kind}`} aria-hidden="true" />{shownNumber(sums[kind])} {texts.usage.kinds[kind]}</span>)}
      </p>
      <div className="days-chart">
        <span className="days-top" aria-hidden="true">{shownNumber(top)}</span>
        <svg viewBox={`0 0 ${slots} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={texts.usage.chart(days.length, shownNumber(sums.live), shownNumber(sums.test), shownNumber(sums.failed))} onPointerLeave={() => setShown(null)}>
          <line x1="0" x2={slots} y1={HEIGHT / 2} y2={HEIGHT / 2} className="days-grid" />
          {days.map((each, at) => <Column key={each.date} each={each} at={at} top={top} isShown={shown === at} onShow={() => setShown(at)} />)}
        </svg>
        <div className="days-axis" aria-hidden="true">{ticks.map((at) => <span key={at}>{short.format(first + at * DAY_MS)}</span>)}</div>
      </div>
      <details>
        <summary>{texts.usage.table}</summary>
        <div className="days-table">
          <table className="plain">
            <caption className="hidden">{texts.usage.renders}</caption>
            <thead><tr><th scope="col">{texts.usage.day}</th>{KINDS.map((kind) => <th key={kind} scope="col" className="figure">{texts.usage.kinds[kind]}</th>)}</tr></thead>
            <tbody>{days.toReversed().map((each) => <tr key={each.date}><th scope="row">{day.format(new Date(each.date))}</th>{KINDS.map((kind) => <td key={kind} className="figure">{shownNumber(each[kind])}</td>)}</tr>)}</tbody>
          </table>
        </div>
      </details>
    </div>
  );
}

type ColumnProps = { each: Day; at: number; top: number; isShown: boolean; onShow: () => void };

function Column({ each, at, top, isShown, onShow }: ColumnProps) {
  let y = HEIGHT;
  return (
    <g onPointerEnter={onShow} className={isShown ? 'day shown' : 'day'}>
      <rect x={at} width={1} y={0} height={HEIGHT} className="day-room" />
      {KINDS.map((kind) => {
        const height = (each[kind] / top) * HEIGHT;
        y -= height;
        return height > 0 && <rect key={kind} className={kind} x={at + 0.12} width={0.76} y={y} height={height} />;
      })}
    </g>
  );
}

function sumOf({ live, test, failed }: Day): number {
  return live + test + failed;
}

function sumsOf(days: readonly Day[]): Record<(typeof KINDS)[number], number> {
  const total = (kind: (typeof KINDS)[number]) => days.reduce((sum, each) => sum + each[kind], 0);
  return { live: total('live'), test: total('test'), failed: total('failed') };
}

/** The next number of the form 1, 2 or 5 with zeros. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 5, 10].find((each) => each * power >= most) ?? 10;
  return step * power;
}
