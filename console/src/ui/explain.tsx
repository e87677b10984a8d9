import type { components } from 'contract';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { shownBytes, shownMs } from './format.ts';

type Timings = components['schemas']['Timings'];
type Explain = components['schemas']['Explain'];

const STAGES = ['queue_ms', 'template_ms', 'load_ms', 'print_ms', 'finish_ms', 'validate_ms', 'store_ms'] as const;
const KINDS = ['html', 'css', 'script', 'font', 'image', 'data', 'other'] as const;

/** The time of a render as one bar of its stages. */
export function Stages({ timings }: { timings: Timings }) {
  const rows = STAGES.map((stage) => ({ stage, ms: timings[stage] ?? 0 })).filter(({ ms }) => ms > 0);
  const known = rows.reduce((sum, { ms }) => sum + ms, 0);
  const total = Math.max(timings.total_ms ?? known, known);
  const between = total - known;
  if (total === 0) return null;
  return (
    <div className="stages">
      <div className="stage-bar" aria-hidden="true">
        {rows.map(({ stage, ms }) => <Share key={stage} className={stage} share={ms / total} />)}
        {between > 0 && <Share className="between" share={between / total} />}
      </div>
      <table className="stage-table">
        <caption className="hidden">{texts.explain.title}</caption>
        <tbody>
          {rows.map(({ stage, ms }) => (
            <tr key={stage}>
              <th scope="row"><i className={`dot ${stage}`} />{texts.explain.stages[stage]}</th>
              <td>{shownMs(ms)}</td>
            </tr>
          ))}
          {between > 0 && <tr><th scope="row"><i className="dot between" />{texts.explain.other}</th><td>{shownMs(between)}</td></tr>}
          <tr className="total"><th scope="row">{texts.explain.total}</th><td>{shownMs(total)}</td></tr>
        </tbody>
      </table>
      {timings.cold && <p className="quiet">{texts.explain.cold}</p>}
    </div>
  );
}

function Share({ className, share }: { className: string; share: number }) {
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.style.flexGrow = String(share);
  }, [share]);
  return <span ref={box} className={className} />;
}

/** Bytes of a kind beside those of the largest one. */
function Load({ kind, share }: { kind: string; share: number }) {
  return <span className={`load-bar ${kind}`} aria-hidden="true" style={{ width: `${Math.max(share * 100, 1)}%` }} />;
}

/** Why a page looks as it does: fonts, what was loaded, what was not, and what it said. */
export function ExplainDetails({ explain, logs, sample }: {
  explain: Explain | null;
  logs: readonly string[];
  /** A few letters as a font family draws them. */
  sample?: (family: string) => ReactNode;
}) {
  const largest = explain ? Math.max(1, ...KINDS.map((kind) => explain.bytes[kind] ?? 0)) : 1;
  return (
    <>
      {explain?.fonts && explain.fonts.length > 0 && (
        <table className="plain">
          <caption>{texts.explain.fonts}</caption>
          <thead><tr><th scope="col">{texts.explain.asked}</th><th scope="col">{texts.explain.used}</th>{sample && <td />}</tr></thead>
          <tbody>
            {explain.fonts.map((font) => (
              <tr key={`${font.requested} ${font.used}`}>
                <td>{font.requested}</td>
                <td className={font.requested === font.used ? '' : 'differs'}>{font.used}</td>
                {sample && <td className="sample">{sample(font.used)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {explain?.missing_glyphs?.map((each) => (
        <p key={each.requested} className="remark bad">{texts.explain.glyphs} {each.characters} ({each.requested})</p>
      ))}
      {explain && (
        <table className="plain">
          <caption>{texts.explain.bytes} <span>{explain.requests === undefined ? '' : texts.explain.requests(explain.requests)}</span></caption>
          <tbody>
            {KINDS.filter((kind) => (explain.bytes[kind] ?? 0) > 0).map((kind) => (
              <tr key={kind}><th scope="row">{texts.explain.kinds[kind]}</th><td className="load"><Load kind={kind} share={(explain.bytes[kind] ?? 0) / largest} /></td><td className="figure">{shownBytes(explain.bytes[kind] ?? 0)}</td></tr>
            ))}
          </tbody>
        </table>
      )}
      {explain?.missing && explain.missing.length > 0 && (
        <div className="block">
          <h2 className="caption">{texts.explain.missing}</h2>
          <ul className="remarks">{explain.missing.map((each) => <li key={each.source} className="remark bad"><code>{each.source}</code><p>{each.reason}</p></li>)}</ul>
        </div>
      )}
      {logs.length > 0 && (
        <div className="block">
          <h2 className="caption">{texts.explain.console}</h2>
          <ol className="log">{logs.map((line, number) => <li key={`${number} ${line}`}><code>{line}</code></li>)}</ol>
        </div>
      )}
    </>
  );
}
