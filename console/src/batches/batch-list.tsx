import './batches.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { shownNumber, shownShortMoment } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useRowKeys } from '../ui/row-keys.ts';
import { useTitle } from '../ui/title.ts';
import { Filters } from './filters.tsx';
import { Bar, countsOf } from './progress.tsx';
import { type Batch, batchPages } from './queries.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { BatchState } from './state.tsx';

/** All batches that the key may see, newest first; the address has the filters. */
export function BatchList() {
  const search = useSearch({ from: '/batches' });
  const { key } = useKey();
  const { can } = useRights();
  const list = useInfiniteQuery({ ...batchPages(key ?? '', search), enabled: can('renders:read') });
  const table = useRef<HTMLTableElement>(null);
  useTitle(texts.batches.title);
  useRowKeys(table);

  if (!can('renders:read')) return <p className="pane-note">{texts.key.noScope('renders:read')}</p>;
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)])).toString();
  return (
    <div className="list-view batch-list">
      <header className="topline">
        <h1>{texts.batches.title}</h1>
        <span className="spacer" />
        <CopyAs programs={() => programsOf({ method: 'GET', path: `/batches${query && `?${query}`}` })} />
        {can('render:write') && <Link to="/batches/new" className="button primary">{texts.batches.new}</Link>}
      </header>
      <Filters search={search} />
      {list.error && <ProblemBox problem={problemOf(list.error)}><button type="button" className="link" onClick={() => void list.refetch()}>{texts.net.retry}</button></ProblemBox>}
      {rows.length > 0 && (
        <div className="table-frame">
          <table className="rows" ref={table}>
            <caption className="hidden">{texts.batches.caption}. {texts.renders.keys}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.batches.columns.status}</th>
                <th scope="col">{texts.batches.columns.batch}</th>
                <th scope="col">{texts.batches.columns.progress}</th>
                <th scope="col" className="figure">{texts.batches.columns.failed}</th>
                <th scope="col" className="figure">{texts.batches.columns.items}</th>
                <th scope="col" className="figure">{texts.batches.columns.created}</th>
              </tr>
            </thead>
            <tbody>{rows.map((batch) => <Row key={batch.id} batch={batch} />)}</tbody>
          </table>
        </div>
      )}
      {list.isSuccess && rows.length === 0 && !list.hasNextPage && <Empty isFiltered={Object.keys(search).length > 0} />}
      {list.hasNextPage && (
        <p className="list-more">
          <button type="button" className="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {rows.length === 0 ? texts.renders.moreSearch : texts.renders.more}
          </button>
        </p>
      )}
      {list.isPending && <Skeleton />}
    </div>
  );
}

function Row({ batch }: { batch: Batch }) {
  return (
    <tr>
      <td><BatchState batch={batch} /></td>
      <td className="document">
        <Link to="/batches/$id" params={{ id: batch.id }} className="row-link">{batch.reference ?? <code>{batch.id}</code>}</Link>
        <span className="row-second">
          {batch.test && <b className="badge test">{texts.renders.test}</b>}
          {batch.error && <code className="row-error">{batch.error.code}</code>}
          {batch.files.map((file) => <span key={file.file_id}>{texts.batch.kinds[file.kind]}</span>)}
        </span>
      </td>
      <td className="batch-progress"><Bar counts={countsOf(batch, 0)} /></td>
      <td className="figure">{batch.failed > 0 ? <span className="row-error">{shownNumber(batch.failed)}</span> : ''}</td>
      <td className="figure">{batch.total > 0 ? shownNumber(batch.total) : ''}</td>
      <td className="figure"><time dateTime={batch.created_at}>{shownShortMoment(batch.created_at)}</time></td>
    </tr>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const navigate = useNavigate();
  const { can } = useRights();
  return (
    <div className="empty">
      <h2>{isFiltered ? texts.batches.noneFiltered : texts.batches.none}</h2>
      {isFiltered ? (
        <button type="button" className="button" onClick={() => void navigate({ to: '/batches', search: {} })}>{texts.renders.clear}</button>
      ) : (
        <>
          <p>{texts.batches.noneLead}</p>
          {can('render:write') && <Link to="/batches/new" className="button primary">{texts.batches.new}</Link>}
        </>
      )}
    </div>
  );
}
