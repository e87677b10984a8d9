import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';
import { namesOf, sparksOf, type Usage } from './queries.ts';

const SHOWN = 10;
const USUAL_RPS = 10;

/** Templates, the most rendered first, each with its course over the range. */
export function Templates({ usage }: { usage: Usage }) {
  const { key } = useKey();
  const { can, account } = useRights();
  const [isAll, setAll] = useState(false);
  const names = useQuery({ ...namesOf(key ?? ''), enabled: can('templates:read') && usage.by_template.length > 0 });
  const days = usage.by_template.length > 0 ? usage.days.map(({ date }) => date) : [];
  const sparks = useQuery(sparksOf(key ?? '', days, 2000 / (account?.limits.rate_limit_rps ?? USUAL_RPS)));
  const hasCourse = days.length > 1;
  const shown = isAll ? usage.by_template : usage.by_template.slice(0, SHOWN);
  return (
    <section className="by-template" aria-label={texts.usage.byTemplate}>
      <h2>{texts.usage.byTemplate}</h2>
      {shown.length === 0 && <p className="quiet">{texts.usage.noTemplates}</p>}
      {shown.length > 0 && (
        <table className="plain">
          <thead><tr><th scope="col">{texts.usage.template}</th>{hasCourse && <th scope="col" className="spark-cell">{texts.usage.course}</th>}<th scope="col" className="figure">{texts.usage.columns.live}</th><th scope="col" className="figure">{texts.usage.columns.test}</th><th scope="col" className="figure">{texts.usage.columns.failed}</th></tr></thead>
          <tbody>
            {shown.map(({ template_id: id, live, test, failed }) => (
              <tr key={id}>
                <th scope="row">{can('renders:read') ? <Link to="/renders" search={{ template_id: id }}>{names.data?.[id] ?? <code>{id}</code>}</Link> : (names.data?.[id] ?? <code>{id}</code>)}</th>
                {hasCourse && <td className="spark-cell"><Spark points={sparks.data?.[id]} /></td>}
                <td className="figure">{shownNumber(live)}</td>
                <td className="figure">{shownNumber(test)}</td>
                <td className="figure">{failed > 0 ? <span className="row-error">{shownNumber(failed)}</span> : 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!isAll && usage.by_template.length > SHOWN && <button type="button" className="link" onClick={() => setAll(true)}>{texts.usage.moreTemplates(usage.by_template.length - SHOWN)}</button>}
    </section>
  );
}

/** A line of a few points. */
function Spark({ points }: { points: number[] | undefined }) {
  if (!points) return <span className="spark" />;
  const top = Math.max(1, ...points);
  const line = points.map((value, at) => `${(at / Math.max(1, points.length - 1)) * 80},${19 - (value / top) * 18}`).join(' ');
  return <svg className="spark" viewBox="0 0 80 20" aria-hidden="true"><polyline points={line} /></svg>;
}
