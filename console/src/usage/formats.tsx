import { texts } from '../texts.ts';
import { shownNumber } from '../ui/format.ts';
import type { Usage } from './queries.ts';

/** Formats, the most rendered first. */
export function Formats({ usage }: { usage: Usage }) {
  if (usage.by_format.length === 0) return null;
  return (
    <section className="by-format" aria-label={texts.usage.byFormat}>
      <h2>{texts.usage.byFormat}</h2>
      <table className="plain">
        <thead><tr><th scope="col">{texts.usage.format}</th><th scope="col" className="figure">{texts.usage.columns.live}</th><th scope="col" className="figure">{texts.usage.columns.test}</th><th scope="col" className="figure">{texts.usage.columns.failed}</th></tr></thead>
        <tbody>
          {usage.by_format.map(({ format, live, test, failed }) => (
            <tr key={format}>
              <th scope="row">{format}</th>
              <td className="figure">{shownNumber(live)}</td>
              <td className="figure">{shownNumber(test)}</td>
              <td className="figure">{failed > 0 ? <span className="row-error">{shownNumber(failed)}</span> : 0}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
