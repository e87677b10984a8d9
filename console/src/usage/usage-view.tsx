import './usage.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { accountOf, useRights } from '../api/account.ts';
import { HOST } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useTitle } from '../ui/title.ts';
import { Cycle } from './cycle.tsx';
import { Days } from './days.tsx';
import { Formats } from './formats.tsx';
import { Limits } from './limits.tsx';
import { daysAhead, daysOf, usageOf } from './queries.ts';
import { RANGES } from './search.ts';
import { Templates } from './templates.tsx';

const LIMITS_MS = 3000;

/** What the workspace has rendered, what is left, and which limits are in use. */
export function UsageView() {
  const { range = 'cycle' } = useSearch({ from: '/usage' });
  const navigate = useNavigate();
  const { key } = useKey();
  const { can } = useRights();
  const mayRead = can('account:read');
  const account = useQuery({ ...accountOf(key ?? ''), enabled: mayRead, staleTime: 0, refetchInterval: LIMITS_MS });
  const usage = useQuery({ ...usageOf(key ?? '', range), enabled: mayRead, placeholderData: keepPreviousData });
  useTitle(texts.usage.title);

  if (!mayRead || account.data === null) return <p className="pane-note">{texts.key.noScope('account:read')}</p>;
  const days = daysOf(range, new Date());
  const path = days.from ? `/usage?from=${days.from}&to=${days.to}` : '/usage';
  const problem = usage.error ?? account.error;
  return (
    <div className="usage">
      <header className="topline">
        <h1>{texts.usage.title}</h1>
        <span className="spacer" />
        <a className="button" href={`${HOST}/guides/plans-and-limits`} target="_blank" rel="noreferrer">{texts.usage.plans}</a>
        <CopyAs programs={() => programsOf({ method: 'GET', path })} />
      </header>
      {problem && <ProblemBox problem={problemOf(problem)}><button type="button" className="link" onClick={() => void Promise.all([usage.refetch(), account.refetch()])}>{texts.net.retry}</button></ProblemBox>}
      {(account.isPending || usage.isPending) && <Skeleton />}
      <div className="usage-body">
        {account.data && <Cycle account={account.data} />}
        {account.data && <Limits account={account.data} />}
        {usage.data && (
          <section className="usage-days" aria-label={texts.usage.renders}>
            <div className="section-line">
              <h2>{texts.usage.renders}</h2>
              <div className="segments" role="group" aria-label={texts.usage.range}>
                {RANGES.map((each) => (
                  <button key={each} type="button" aria-pressed={each === range} onClick={() => void navigate({ to: '/usage', search: each === 'cycle' ? {} : { range: each }, replace: true })}>{texts.usage.ranges[each]}</button>
                ))}
              </div>
            </div>
            <Days days={usage.data.days} ahead={range === 'cycle' ? daysAhead(usage.data) : 0} />
          </section>
        )}
        {usage.data && <div className="usage-lists"><Templates usage={usage.data} /><Formats usage={usage.data} /></div>}
      </div>
    </div>
  );
}
