import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { shownMoment, shownShortMoment } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { type Template, type TemplateVersion, versionPages } from './queries.ts';
import type { VersionName } from './search.ts';
import { useSingle } from './use-single.ts';

type Props = { template: Template; onDiff: (from: VersionName, to: VersionName) => void };

/** All versions, newest first, each with what it changed and a way back to it. */
export function VersionsPanel({ template, onDiff }: Props) {
  const { key } = useKey();
  const { can } = useRights();
  const list = useInfiniteQuery(versionPages(key ?? '', template.id));
  const [wanted, setWanted] = useState<TemplateVersion | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const versions = list.data?.pages.flatMap((page) => page.data) ?? [];
  const live = template.live_version?.number;
  if (list.error) return <ProblemBox problem={problemOf(list.error)} />;
  if (list.isSuccess && versions.length === 0) return <div className="empty"><h2>{texts.versions.none}</h2><p>{texts.versions.noneLead}</p></div>;
  return (
    <>
      <ol className="versions">
        {live !== undefined && (
          <li>
            <div className="version-head"><b>{texts.diff.draft}</b><span className="quiet">{texts.template.draft(template.draft_revision)}</span></div>
            <p className="version-acts"><button type="button" className="link" onClick={() => onDiff(live, 'draft')}>{texts.versions.source}</button><ComparePages id={template.id} from="live" to="draft" /></p>
          </li>
        )}
        {versions.map((version) => (
          <li key={version.number} className={version.number === live ? 'is-live' : ''}>
            <div className="version-head">
              <b>{texts.versions.version(version.number)}</b>
              {version.number === live && <span className="live-word">{texts.versions.live}</span>}
              <time dateTime={version.published_at} title={shownMoment(version.published_at)}>{shownShortMoment(version.published_at)}</time>
            </div>
            {version.note && <p className="version-note">{version.note}</p>}
            {version.rollback_of !== null && <p className="quiet">{texts.versions.rollbackOf(version.rollback_of)}</p>}
            {version.draft_revision !== null && <p className="quiet">{texts.versions.fromDraft(version.draft_revision)}</p>}
            <p className="version-acts">
              {version.number > 1 && <button type="button" className="link" onClick={() => onDiff(version.number - 1, version.number)}>{texts.versions.source}</button>}
              {version.number > 1 && <ComparePages id={template.id} from={version.number - 1} to={version.number} />}
              {version.number !== live && can('templates:write') && (
                <button type="button" className="link" onClick={() => { setWanted(version); dialog.current?.showModal(); }}>{texts.versions.rollback}</button>
              )}
            </p>
          </li>
        ))}
      </ol>
      {list.hasNextPage && <p className="list-more"><button type="button" className="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>{texts.versions.more}</button></p>}
      <Rollback dialog={dialog} template={template} version={wanted} />
    </>
  );
}

/** The pages of two versions beside each other, which is a view of its own. */
function ComparePages({ id, from, to }: { id: string; from: number | 'live'; to: number | 'draft' }) {
  return <Link to="/templates/$id/compare" params={{ id }} search={{ from, to }}>{texts.versions.pages}</Link>;
}

function Rollback({ dialog, template, version }: { dialog: { current: HTMLDialogElement | null }; template: Template; version: TemplateVersion | null }) {
  const title = useId();
  const queries = useQueryClient();
  const rollback = useSingle({
    mutationFn: (number: number) => dataOf(api.POST('/v1/templates/{id}/rollback', { params: { path: { id: template.id } }, body: { version: number } })),
    onSuccess: () => dialog.current?.close(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  const next = (template.live_version?.number ?? 0) + 1;
  return (
    <dialog ref={(element) => { dialog.current = element; }} className="dialog" aria-labelledby={title} onClose={() => rollback.reset()}>
      {version && (
        <div className="dialog-body">
          <h2 id={title}>{texts.versions.rollbackTitle(version.number)}</h2>
          <p>{texts.versions.rollbackLead(version.number, next)}</p>
          {rollback.error && <ProblemBox problem={problemOf(rollback.error)} />}
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.versions.cancel}</button>
            <button type="button" className="button primary" disabled={rollback.isPending || rollback.isSuccess} onClick={() => rollback.mutate(version.number)}>{texts.versions.rollbackDo(version.number)}</button>
          </p>
        </div>
      )}
    </dialog>
  );
}
