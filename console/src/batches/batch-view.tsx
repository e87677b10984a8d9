import './batches.css';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyText } from '../ui/copy.tsx';
import { shownBytes, shownMoment, shownNumber } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { IdLink } from '../ui/id-link.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { useTitle } from '../ui/title.ts';
import { Actions } from './actions.tsx';
import { Failures } from './failures.tsx';
import { ItemGrid } from './item-grid.tsx';
import { ItemPane } from './item-pane.tsx';
import { ItemTable } from './item-table.tsx';
import { MAX_SQUARES, useItems } from './items.ts';
import { Progress } from './progress.tsx';
import { allFailed, type Batch, type BatchItem, isFinal, itemPages, signatureOf, useBatch } from './queries.ts';
import { type BatchSearch, ITEM_STATUSES } from './search.ts';
import { BatchState } from './state.tsx';

const MORE = 500;

/** One batch: how far it is, why items failed, and the document of each item. */
export function BatchView() {
  const { id } = useParams({ from: '/batches/$id' });
  const { key } = useKey();
  const { can } = useRights();
  const batch = useBatch(key ?? '', id, can('renders:read'));
  useTitle(batch.data?.reference ?? id);

  if (!can('renders:read')) return <p className="pane-note">{texts.key.noScope('renders:read')}</p>;
  if (batch.data) return <Loaded batch={batch.data} />;
  if (!batch.error) return null;
  return (
    <div className="list-view">
      <ProblemBox problem={problemOf(batch.error)}>
        <Link to="/batches">{texts.batches.title}</Link>
        <button type="button" className="link" onClick={() => void batch.refetch()}>{texts.net.retry}</button>
      </ProblemBox>
    </div>
  );
}

function Loaded({ batch }: { batch: Batch }) {
  const search = useSearch({ from: '/batches/$id' });
  const navigate = useNavigate({ from: '/batches/$id' });
  const scroller = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState(MAX_SQUARES);
  const known = useItems(batch, wanted);
  const listed = useListed(batch, search, known.items);
  const failed = useFailed(batch, known.items);
  const go = useCallback((next: { [_ in keyof BatchSearch]?: BatchSearch[_] | undefined }) => {
    void navigate({
      search: (before) => Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value !== undefined)) as BatchSearch,
      replace: true,
      resetScroll: false,
    });
  }, [navigate]);
  const select = useCallback((item: number) => go({ item }), [go]);
  const loadMore = useCallback(() => {
    if (search.status !== undefined) listed.loadMore();
    else setWanted((before) => (known.items.length >= before ? before + MORE : before));
  }, [search.status, listed, known.items.length]);

  const shown = search.item ?? known.items.find(({ status }) => status === 'succeeded')?.index;
  const item = shown === undefined ? undefined : (known.items[shown] ?? listed.items.find(({ index }) => index === shown) ?? failed.find(({ index }) => index === shown));
  const running = known.items.filter(({ status }) => status === 'queued').length;
  const squares = known.items.length > MAX_SQUARES ? known.items.slice(0, MAX_SQUARES) : known.items;
  const problem = known.problem ?? listed.problem;
  return (
    <div className="batch-view" data-item={search.item !== undefined || undefined}>
      <header className="topline">
        <Link to="/batches" className="back"><Icon name="back" />{texts.batches.title}</Link>
        <h1>{batch.reference ?? batch.id}</h1>
        {batch.test && <b className="badge test">{texts.renders.test}</b>}
        <BatchState batch={batch} />
        <span className="spacer" />
        <Actions batch={batch} />
      </header>
      <div className="batch-body">
        <div className="batch-main" ref={scroller}>
          <Progress batch={batch} running={running} />
          <Notes batch={batch} />
          {squares.length > 0 && <ItemGrid items={squares} total={batch.total} selected={shown} onSelect={select} />}
          <Failures batch={batch} items={failed} onSelect={select} />
          {problem && <ProblemBox problem={problem} />}
          <section className="items" aria-label={texts.batch.list}>
            <div className="section-head">
              <h2>{texts.batch.list}</h2>
              <fieldset className="segments">
                <legend className="hidden">{texts.batches.columns.status}</legend>
                <button type="button" aria-pressed={search.status === undefined} onClick={() => go({ status: undefined })}>{texts.batch.all}</button>
                {ITEM_STATUSES.map((status) => (
                  <button key={status} type="button" aria-pressed={search.status === status} onClick={() => go({ status })}>{texts.batch.items[status]}</button>
                ))}
              </fieldset>
            </div>
            {listed.items.length > 0 && <ItemTable key={search.status ?? 'all'} items={listed.items} scroller={scroller} selected={shown} onSelect={select} onEnd={loadMore} />}
            {listed.items.length === 0 && listed.isWhole && <p className="quiet">{batch.total === 0 ? texts.batch.noItems : texts.batch.noneFiltered}</p>}
          </section>
          <Facts batch={batch} />
        </div>
        {item && <ItemPane key={item.index} item={item} onClose={search.item === undefined ? undefined : () => go({ item: undefined })} />}
      </div>
    </div>
  );
}

/** The items of the list: of a small batch those that are known anyway, of a large one those that the API finds. */
function useListed(batch: Batch, { status }: BatchSearch, known: BatchItem[]) {
  const { key } = useKey();
  const isAsked = status !== undefined && batch.total > MAX_SQUARES;
  const found = useInfiniteQuery({ ...itemPages(key ?? '', batch.id, status ?? 'failed', isFinal(batch) ? signatureOf(batch) : ''), enabled: isAsked });
  if (!isAsked) {
    const items = status === undefined ? known : known.filter((item) => item.status === status);
    return { items, isWhole: known.length >= batch.total, problem: null, loadMore: () => undefined };
  }
  return {
    items: found.data?.pages.flatMap((page) => page.data) ?? [],
    isWhole: found.isSuccess && !found.hasNextPage,
    problem: found.error ? problemOf(found.error) : null,
    loadMore: () => { if (found.hasNextPage && !found.isFetching) void found.fetchNextPage(); },
  };
}

/** The failed items; of a large batch all of them only when it has ended. */
function useFailed(batch: Batch, known: BatchItem[]) {
  const { key } = useKey();
  const isAsked = batch.total > MAX_SQUARES && isFinal(batch) && batch.failed > 0;
  const all = useQuery({ ...allFailed(key ?? '', batch.id, signatureOf(batch)), enabled: isAsked });
  return all.data ?? known.filter(({ status }) => status === 'failed');
}

/** Why nothing is started, why it failed, and the combined files. */
function Notes({ batch }: { batch: Batch }) {
  const emails = Object.entries(batch.emails).filter(([, count]) => count > 0);
  return (
    <>
      {batch.paused && <p className="batch-note"><b>{texts.batch.pausedTitle}</b> {texts.batch.pausedWhy(shownMoment(batch.paused.since))}</p>}
      {batch.error && (
        <ProblemBox problem={{ title: texts.batch.failedTitle, detail: batch.error.message, code: batch.error.code }}>
          {batch.error.items && batch.error.items.length > 0 && <span>{texts.batch.goneItems(batch.error.items.map((index) => shownNumber(index + 1)).join(', '))}</span>}
        </ProblemBox>
      )}
      {batch.files.length > 0 && (
        <ul className="combined" aria-label={texts.batch.combined}>
          {batch.files.map((file) => (
            <li key={file.file_id}>
              <span className="combined-name">{file.filename}</span>
              <span className="quiet">{texts.batch.kinds[file.kind]}, {file.pages != null && `${texts.batch.pages(shownNumber(file.pages))}, `}{shownBytes(file.bytes)}</span>
              {file.url ? <a className="button" href={file.url} rel="noreferrer">{texts.pages.download}</a> : <span className="quiet">{texts.batch.filesGone}</span>}
            </li>
          ))}
        </ul>
      )}
      {emails.length > 0 && (
        <p className="batch-note quiet">{texts.batch.emails} {emails.map(([state, count]) => `${shownNumber(count)} ${state}`).join(', ')}</p>
      )}
    </>
  );
}

function Facts({ batch }: { batch: Batch }) {
  const metadata = Object.entries(batch.metadata);
  return (
    <section className="block">
      <h2>{texts.render.details}</h2>
      <dl className="facts">
        <dt>{texts.render.id}</dt><dd><CopyText text={batch.id} /></dd>
        <dt>{texts.render.template}</dt><dd><IdLink id={batch.template_id} /> {batch.template_version !== null && texts.render.version(batch.template_version)}</dd>
        <dt>{texts.batches.columns.created}</dt><dd>{shownMoment(batch.created_at)}</dd>
        {batch.completed_at && <><dt>{texts.batch.ended}</dt><dd>{shownMoment(batch.completed_at)}</dd></>}
        {metadata.length > 0 && <><dt>{texts.render.metadata}</dt><dd><ul className="chips">{metadata.map(([name, value]) => <li key={name}><code>{name}={String(value)}</code></li>)}</ul></dd></>}
      </dl>
      <p><Link to="/renders" search={{ batch_id: batch.id }}>{texts.batch.renders}</Link></p>
      <details className="raw"><summary>{texts.batch.raw}</summary><pre tabIndex={0}>{JSON.stringify(batch, null, 2)}</pre></details>
    </section>
  );
}
