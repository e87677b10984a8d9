import './compare.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useTitle } from '../ui/title.ts';
import { PageList } from './page-list.tsx';
import { Pictures } from './pictures.tsx';
import { type Comparison, comparedTemplate, comparisonBody, comparisonOf, type Template, type Wanted } from './queries.ts';
import { type CompareSearch, MODES, type Version } from './search.ts';
import { TextChanges } from './text-changes.tsx';
import { Choice } from './choice.tsx';

/** Two versions of a template with the same data: their pages, and what their texts say. */
export function CompareView() {
  const { id } = useParams({ from: '/templates/$id/compare' });
  const search = useSearch({ from: '/templates/$id/compare' });
  const navigate = useNavigate({ from: '/templates/$id/compare' });
  const { key } = useKey();
  const { can, isLive } = useRights();
  const missing = (['templates:read', 'renders:read'] as const).find((scope) => !can(scope));
  const known = useQuery({ ...comparedTemplate(key ?? '', id), enabled: missing === undefined });
  const template = known.data?.template;
  const wanted = template === undefined ? null : wantedOf(template, search, isLive);
  const comparison = useQuery(comparisonOf(key ?? '', id, wanted));
  useTitle(template ? texts.compare.title(template.name) : texts.compare.heading);
  const go = (change: Change, replace = true) => {
    void navigate({ search: (before) => ({ ...before, ...change }) as CompareSearch, replace, resetScroll: false });
  };

  if (missing !== undefined) return <p className="pane-note">{texts.key.noScope(missing)}</p>;
  if (known.error) {
    return (
      <div className="list-view">
        <ProblemBox problem={problemOf(known.error)}>
          <button type="button" className="link" onClick={() => void known.refetch()}>{texts.net.retry}</button>
        </ProblemBox>
      </div>
    );
  }
  if (known.data === undefined || template === undefined) return null;
  return (
    <div className="cmp">
      <header className="topline">
        <Link to="/templates/$id" params={{ id }} className="back"><Icon name="back" />{texts.compare.back}</Link>
        <h1>{template.name}</h1>
        <span className="spacer" />
        {wanted && <CopyAs programs={() => programsOf({ method: 'POST', path: `/templates/${template.id}/compare`, body: comparisonBody(wanted) })} />}
      </header>
      {wanted === null ? (
        <div className="empty">
          <h2>{texts.compare.unpublished}</h2>
          <p>{texts.compare.unpublishedLead}</p>
          <Link to="/templates/$id" params={{ id }} className="button primary">{texts.compare.openTemplate}</Link>
        </div>
      ) : (
        <>
          <Choice known={known.data} wanted={wanted} onChange={(change) => go({ ...change, page: undefined }, false)} />
          {comparison.isFetching && <p className="cmp-running" role="status">{texts.compare.running}</p>}
          {comparison.error && !comparison.isFetching && (
            <ProblemBox problem={problemOf(comparison.error)}>
              <button type="button" className="link" onClick={() => void comparison.refetch()}>{texts.net.retry}</button>
            </ProblemBox>
          )}
          {comparison.data && !comparison.isFetching && (
            <Found
              comparison={comparison.data}
              search={search}
              names={[nameOf(wanted.from, template), nameOf(wanted.to, template)]}
              onChange={go}
              onExpired={() => void comparison.refetch()}
            />
          )}
        </>
      )}
    </div>
  );
}

/** Changes of the address; undefined takes a part away. */
type Change = { [_ in keyof CompareSearch]?: CompareSearch[_] | undefined };
type FoundProps = { comparison: Comparison; search: CompareSearch; names: [string, string]; onChange: (change: Change) => void; onExpired: () => void };

function Found({ comparison, search, names, onChange, onExpired }: FoundProps) {
  const { pages, text_changes: changes } = comparison;
  const changed = pages.filter((page) => page.changed > 0);
  const mode = search.mode ?? 'side';
  const at = search.page ?? changed[0]?.page ?? 1;
  const page = pages.find((each) => each.page === at) ?? pages[0];
  if (page === undefined) return null;
  const goTo = (number: number) => onChange({ page: number });
  const next = changed.find((each) => each.page > page.page) ?? changed.find((each) => each.page !== page.page);
  return (
    <div className="cmp-body">
      <PageList pages={pages} page={page.page} order={search.changed} onPage={goTo} onOrder={(order) => onChange({ changed: order })} />
      <section className="cmp-pane" aria-label={texts.compare.page(page.page)}>
        <div className="file-bar">
          <div className="segments" role="group" aria-label={texts.compare.mode}>
            {MODES.map((each) => <button key={each} type="button" aria-pressed={each === mode} onClick={() => onChange({ mode: each })}>{texts.compare.modes[each]}</button>)}
          </div>
          <p className="cmp-summary" role="status">{changed.length === 0 && changes.length === 0 ? texts.compare.same : texts.compare.summary(changed.length, pages.length)}</p>
          <button type="button" className="button" disabled={next === undefined} onClick={() => next && goTo(next.page)}>{texts.compare.nextChange}</button>
        </div>
        <div className="cmp-scroll" tabIndex={0} role="group" aria-label={texts.compare.page(page.page)}>
          <Pictures page={page} mode={mode} from={names[0]} to={names[1]} onExpired={onExpired} />
        </div>
      </section>
      <TextChanges changes={changes} page={page.page} onPage={goTo} />
    </div>
  );
}

/** The versions of the address, or the two newest; null if there is one only. */
function wantedOf(template: Template, search: CompareSearch, isLive: boolean): Wanted | null {
  const live = template.live_version?.number ?? null;
  if (live === null && (search.from === undefined || search.to === undefined)) return null;
  // Live keys render published versions.
  const isOfVersions = isLive && live !== null && live > 1;
  const [before, after]: [Version, Version] = isOfVersions ? [live - 1, 'live'] : ['live', 'draft'];
  return { from: search.from ?? before, to: search.to ?? after, dataset: search.dataset };
}

function nameOf(version: Version, template: Template): string {
  if (version === 'draft') return texts.compare.draft;
  if (version === 'live') return texts.compare.live(template.live_version?.number ?? null);
  return texts.compare.version(version, null);
}
