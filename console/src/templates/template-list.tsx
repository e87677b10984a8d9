import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { shownShortMoment } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useLate } from '../ui/skeleton.tsx';
import { useTitle } from '../ui/title.ts';
import { CreateTemplate } from './create-template.tsx';
import { type Template, templatePages } from './queries.ts';
import { type TemplatesSearch, TYPES } from './search.ts';
import { useSingle } from './use-single.ts';
import './templates.css';

const PAUSE_MS = 250;

/** All templates that the key may see, each with its first page; the address has the search. */
export function TemplateList() {
  const search = useSearch({ from: '/templates' });
  const { key } = useKey();
  const { can, account } = useRights();
  const list = useInfiniteQuery({ ...templatePages(key ?? '', search), enabled: can('templates:read') });
  useTitle(search.deleted ? texts.templates.trash : texts.templates.title);
  useTileKeys();
  if (!can('templates:read')) return <p className="pane-note">{texts.key.noScope('templates:read')}</p>;
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  // A key with a list of templates cannot make another one.
  const canMake = can('templates:write') && (account?.key.template_ids.length ?? 0) === 0;
  const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)])).toString();
  return (
    <div className="list-view">
      <header className="topline">
        <h1>{texts.templates.title}</h1>
        <span className="spacer" />
        <CopyAs programs={() => programsOf({ method: 'GET', path: `/templates${query && `?${query}`}` })} />
        {canMake && <CreateTemplate />}
      </header>
      <SearchBar search={search} />
      {list.error && <ProblemBox problem={problemOf(list.error)}><button type="button" className="link" onClick={() => void list.refetch()}>{texts.net.retry}</button></ProblemBox>}
      {rows.length > 0 && (
        <ul className="tiles" aria-label={texts.templates.caption}>
          {rows.map((template) => <Tile key={template.id} template={template} canRestore={can('templates:write')} />)}
        </ul>
      )}
      {list.isSuccess && rows.length === 0 && !list.hasNextPage && <Empty search={search} canMake={canMake} />}
      {list.hasNextPage && (
        <p className="list-more">
          <button type="button" className="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {rows.length === 0 ? texts.templates.moreSearch : texts.templates.more}
          </button>
        </p>
      )}
      {list.isPending && <Skeleton />}
    </div>
  );
}

function SearchBar({ search }: { search: TemplatesSearch }) {
  const navigate = useNavigate({ from: '/templates' });
  const [words, setWords] = useState(search.q ?? '');
  const set = (change: { [_ in keyof TemplatesSearch]?: TemplatesSearch[_] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ search: Object.fromEntries(next) as TemplatesSearch, replace: true });
  };
  useEffect(() => setWords(search.q ?? ''), [search.q]);
  // Not each letter is a request.
  useEffect(() => {
    if (words === (search.q ?? '')) return undefined;
    const timer = setTimeout(() => set({ q: words }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <form className="filters" role="search" onSubmit={(event) => { event.preventDefault(); set({ q: words }); }}>
      <input className="input tile-search" type="search" aria-label={texts.templates.search} placeholder={texts.templates.search} maxLength={120} value={words} onChange={(event) => setWords(event.target.value)} />
      <label className="filter">
        <span>{texts.templates.type}</span>
        <select className="input" value={search.type ?? ''} onChange={(event) => set({ type: TYPES.find((each) => each === event.target.value) })}>
          <option value="">{texts.templates.anyType}</option>
          {TYPES.map((each) => <option key={each} value={each}>{texts.templates.types[each]}</option>)}
        </select>
      </label>
      <div className="segments" role="group" aria-label={texts.templates.which}>
        <button type="button" aria-pressed={!search.deleted} onClick={() => set({ deleted: undefined })}>{texts.templates.active}</button>
        <button type="button" aria-pressed={search.deleted ?? false} onClick={() => set({ deleted: true })}>{texts.templates.trash}</button>
      </div>
    </form>
  );
}

function Tile({ template, canRestore }: { template: Template; canRestore: boolean }) {
  const { deleted_at, live_version, thumbnail_url } = template;
  return (
    <li className="tile">
      <span className="tile-ground"><Thumbnail url={thumbnail_url} /></span>
      <span className="tile-text">
        {deleted_at === null
          ? <Link to="/templates/$id" params={{ id: template.id }} className="tile-link" title={template.name}>{template.name}</Link>
          : <b className="tile-link" title={template.name}>{template.name}</b>}
        <span className="tile-second">
          {deleted_at === null
            ? <span className={live_version ? 'tile-live' : ''}>{live_version ? texts.templates.live(live_version.number) : texts.templates.unpublished}</span>
            : <span>{texts.templates.deleted(shownShortMoment(deleted_at))}</span>}
          {deleted_at === null && <span>{texts.templates.draft(template.draft_revision)}</span>}
          {template.type === 'image_canvas' && <span>{texts.templates.types.image_canvas}</span>}
          {template.locked && <span>{texts.templates.locked}</span>}
        </span>
        {deleted_at !== null && canRestore && <Restore id={template.id} />}
      </span>
    </li>
  );
}

/** The first page of the live version; a blank sheet without one. */
function Thumbnail({ url }: { url: string | null }) {
  const [isBroken, setBroken] = useState(false);
  if (url === null || isBroken) return <span className="tile-blank">{texts.templates.noPicture}</span>;
  // The name beside it says what it is.
  return <img className="tile-sheet" src={url} alt="" loading="lazy" decoding="async" onError={() => setBroken(true)} />;
}

export function Restore({ id }: { id: string }) {
  const queries = useQueryClient();
  const restore = useSingle({
    mutationFn: () => dataOf(api.POST('/v1/templates/{id}/restore', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  return (
    <>
      <button type="button" className="button restore" disabled={restore.isPending || restore.isSuccess} onClick={() => restore.mutate()}>{texts.templates.restore}</button>
      {restore.error && <ProblemBox problem={problemOf(restore.error)} />}
    </>
  );
}

function Empty({ search, canMake }: { search: TemplatesSearch; canMake: boolean }) {
  const navigate = useNavigate({ from: '/templates' });
  if (search.q !== undefined || search.type !== undefined) {
    return (
      <div className="empty">
        <h2>{texts.templates.noneFound}</h2>
        <button type="button" className="button" onClick={() => void navigate({ search: search.deleted ? { deleted: true } : {} })}>{texts.templates.clear}</button>
      </div>
    );
  }
  if (search.deleted) return <div className="empty"><h2>{texts.templates.noneDeleted}</h2><p>{texts.templates.noneDeletedLead}</p></div>;
  return <div className="empty"><h2>{texts.templates.none}</h2><p>{texts.templates.noneLead}</p>{canMake && <CreateTemplate />}</div>;
}

/** Grey sheets, which appear only when an answer takes long. */
function Skeleton() {
  const isLate = useLate();
  return <ul className="tiles" aria-hidden="true">{isLate && Array.from({ length: 6 }, (_, tile) => <li key={tile} className="tile"><span className="tile-ground"><span className="tile-blank" /></span></li>)}</ul>;
}

/** `j` and `k` move through the templates, `/` goes to the search. */
function useTileKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || event.altKey || target.closest('input, select, textarea, dialog')) return;
      if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('.tile-search')?.focus();
      }
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      const links = [...document.querySelectorAll<HTMLElement>('a.tile-link')];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
