import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { shownMs, shownNumber, shownShortMoment } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useRowKeys } from '../ui/row-keys.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { Status } from '../ui/status.tsx';
import { useTitle } from '../ui/title.ts';
import { Filters } from './filters.tsx';
import { isPreview, listQuery, type Render, renderPages } from './queries.ts';

/** All renders that the key may see, newest first; the address has the filters. */
export function RenderList() {
  const search = useSearch({ from: '/renders' });
  const { key } = useKey();
  const { can } = useRights();
  const list = useInfiniteQuery({ ...renderPages(key ?? '', search), enabled: can('renders:read') });
  const table = useRef<HTMLTableElement>(null);
  useTitle(texts.renders.title);
  useRowKeys(table);

  const all = list.data?.pages.flatMap((page) => page.data) ?? [];
  const rows = search.previews ? all : all.filter((render) => !isPreview(render));
  const isFiltered = Object.keys(search).length > 0;
  if (!can('renders:read')) return <p className="pane-note">{texts.key.noScope('renders:read')}</p>;
  return (
    <div className="list-view">
      <header className="topline">
        <h1>{texts.renders.title}</h1>
        <span className="spacer" />
        <CopyAs programs={() => programsOf({ method: 'GET', path: `/renders${queryText(listQuery(search))}` })} />
      </header>
      <Filters search={search} />
      {list.error && <ProblemBox problem={problemOf(list.error)}><button type="button" className="link" onClick={() => void list.refetch()}>{texts.net.retry}</button></ProblemBox>}
      {rows.length > 0 && (
        <div className="table-frame">
          <table className="rows" ref={table}>
            <caption className="hidden">{texts.renders.caption}. {texts.renders.keys}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.renders.columns.status}</th>
                <th scope="col">{texts.renders.columns.document}</th>
                <th scope="col">{texts.renders.columns.format}</th>
                <th scope="col" className="figure">{texts.renders.columns.pages}</th>
                <th scope="col" className="figure">{texts.renders.columns.time}</th>
                <th scope="col" className="figure">{texts.renders.columns.created}</th>
              </tr>
            </thead>
            <tbody>{rows.map((render) => <Row key={render.id} render={render} />)}</tbody>
          </table>
        </div>
      )}
      {list.isSuccess && rows.length === 0 && !list.hasNextPage && <Empty isFiltered={isFiltered} />}
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

function Row({ render }: { render: Render }) {
  const metadata = Object.entries(render.metadata);
  return (
    <tr>
      <td><Status status={render.status} /></td>
      <td className="document">
        <Link to="/renders/$id" params={{ id: render.id }} className="row-link">
          {render.reference ?? <code>{render.id}</code>}
        </Link>
        <span className="row-second">
          {render.test && <b className="badge test">{texts.renders.test}</b>}
          {render.error ? <code className="row-error">{render.error.code}</code> : <span>{render.input_type}</span>}
          {metadata.slice(0, 3).map(([name, value]) => <span key={name} className="row-meta">{name}={String(value)}</span>)}
        </span>
      </td>
      <td>{render.output_format ?? ''}</td>
      <td className="figure">{render.pages === null ? '' : shownNumber(render.pages)}</td>
      <td className="figure">{render.timings.total_ms == null ? '' : shownMs(render.timings.total_ms)}</td>
      <td className="figure"><time dateTime={render.created_at}>{shownShortMoment(render.created_at)}</time></td>
    </tr>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const navigate = useNavigate();
  const { can } = useRights();
  return (
    <div className="empty">
      <h2>{isFiltered ? texts.renders.noneFiltered : texts.renders.none}</h2>
      {isFiltered ? (
        <button type="button" className="button" onClick={() => void navigate({ to: '/renders', search: {} })}>{texts.renders.clear}</button>
      ) : (
        <>
          <p>{texts.renders.noneLead}</p>
          {can('render:write') && <Link to="/playground" search={{ example: 'invoice' }} className="button primary">{texts.renders.open}</Link>}
        </>
      )}
    </div>
  );
}

function queryText(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const each of value) parameters.append(name, String(each));
    else if (typeof value === 'object' && value !== null) {
      for (const [inner, each] of Object.entries(value)) parameters.append(`${name}[${inner}]`, String(each));
    } else if (value !== undefined) parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
