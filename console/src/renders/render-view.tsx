import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { FileView } from '../pdf/file-view.tsx';
import type { Zoom } from '../pdf/zoom.ts';
import { texts } from '../texts.ts';
import { CopyAs, CopyText } from '../ui/copy.tsx';
import { ExplainDetails, Stages } from '../ui/explain.tsx';
import { shownBytes } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { IdLink } from '../ui/id-link.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { Status } from '../ui/status.tsx';
import { useTitle } from '../ui/title.ts';
import { WithCode } from '../ui/with-code.tsx';
import { fileBytes, isFinal, oneRender, type Render, type RenderLog, renderLog, webhooksOf } from './queries.ts';
import { repeatOf } from './repeat.ts';
import { Story } from './story.tsx';

/** One render: the document at the left, its story at the right. */
export function RenderView() {
  const { id } = useParams({ from: '/renders/$id' });
  const { key } = useKey();
  const { can } = useRights();
  const render = useQuery({ ...oneRender(key ?? '', id), enabled: can('renders:read') });
  const log = useQuery(renderLog(key ?? '', id, render.data?.status));
  const webhooks = useQuery({ ...webhooksOf(key ?? '', id, render.data?.status), enabled: can('webhooks:read') && render.data !== undefined });
  useTitle(render.data?.reference ?? id);

  if (!can('renders:read')) return <p className="pane-note">{texts.key.noScope('renders:read')}</p>;
  if (!render.data) {
    return render.error ? (
      <div className="list-view">
        <ProblemBox problem={problemOf(render.error)}>
          <Link to="/renders">{texts.render.back}</Link>
          <button type="button" className="link" onClick={() => void render.refetch()}>{texts.net.retry}</button>
        </ProblemBox>
      </div>
    ) : null;
  }
  const { data } = render;
  return (
    <div className="render-view">
      <header className="topline">
        <Link to="/renders" className="back"><Icon name="back" />{texts.render.back}</Link>
        <h1>{data.reference ?? data.id}</h1>
        {data.test && <b className="badge test">{texts.renders.test}</b>}
        <Status status={data.status} />
        <span className="spacer" />
        <Actions render={data} log={log.data} />
      </header>
      <div className="render-body">
        <Document render={data} />
        <div className="story">
          {data.error && <Failure render={data} />}
          <Story render={data} log={log.data} webhooks={webhooks.data ?? []} />
          {log.error && <ProblemBox problem={problemOf(log.error)} />}
          <Stages timings={data.timings} />
          {data.warnings.length > 0 && (
            <section className="block">
              <h2>{texts.render.warnings}</h2>
              <ul className="remarks">
                {data.warnings.map((warning, number) => (
                  <li key={`${number} ${warning.code}`} className="remark warning">
                    <code>{warning.code}</code>
                    <p><WithCode text={warning.message} /></p>
                    {warning.detail && <code>{warning.detail}</code>}
                  </li>
                ))}
              </ul>
            </section>
          )}
          <Facts render={data} />
          <ExplainDetails explain={data.explain} logs={data.logs} />
          <details className="block raw"><summary>{texts.render.input}</summary><pre tabIndex={0}>{JSON.stringify(log.data?.request ?? { input: data.input, output: data.output }, null, 2)}</pre></details>
          <details className="block raw"><summary>{texts.render.raw}</summary><pre tabIndex={0}>{JSON.stringify(data, null, 2)}</pre></details>
        </div>
      </div>
    </div>
  );
}

function Failure({ render }: { render: Render }) {
  const { error } = render;
  if (!error) return null;
  const { code, message, line, column, excerpt, errors } = error;
  const place = line == null ? {} : { line, column: column ?? 1, ...(excerpt ? { excerpt } : {}) };
  return <ProblemBox problem={{ title: texts.render.failed, detail: message, code, ...(errors ? { errors } : {}), ...place }} />;
}

function Actions({ render, log }: { render: Render; log: RenderLog | undefined }) {
  const { can, isLive } = useRights();
  const repeat = isFinal(render) && !isLive && can('render:write') ? repeatOf(render, log) : null;
  const { key } = useKey();
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const params = { path: { id: render.id } };
  const change = useMutation({
    mutationFn: (act: 'cancel' | 'purge') => dataOf(
      act === 'cancel' ? api.POST('/v1/renders/{id}/cancel', { params }) : api.DELETE('/v1/renders/{id}/files', { params }),
    ),
    onSuccess: (changed) => queries.setQueryData(oneRender(key ?? '', render.id).queryKey, changed),
    onSettled: () => queries.invalidateQueries({ queryKey: ['render', key, render.id] }),
  });
  return (
    <>
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/renders/${render.id}` })} />
      {repeat && <Again key={render.id} request={repeat} />}
      {!isFinal(render) && can('render:write') && (
        <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate('cancel')}>{texts.render.cancel}</button>
      )}
      {render.files.length > 0 && isFinal(render) && can('renders:delete') && (
        <button type="button" className="button danger" onClick={() => dialog.current?.showModal()}>{texts.render.purge}</button>
      )}
      {change.error && <ProblemBox problem={problemOf(change.error)} />}
      <dialog ref={dialog} className="dialog" aria-labelledby="purge-title">
        <div className="dialog-body">
          <h2 id="purge-title">{texts.render.purgeTitle}</h2>
          <p>{texts.render.purgeLead}</p>
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.render.keep}</button>
            <button type="button" className="button danger" onClick={() => { dialog.current?.close(); change.mutate('purge'); }}>{texts.render.purge}</button>
          </p>
        </div>
      </dialog>
    </>
  );
}

/** Make a render again; a second click makes no second one. */
function Again({ request }: { request: NonNullable<ReturnType<typeof repeatOf>> }) {
  const navigate = useNavigate();
  const click = useRef(crypto.randomUUID());
  const again = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/renders', { body: request, params: { header: { 'Idempotency-Key': click.current } } })),
    onSuccess: (made) => navigate({ to: '/renders/$id', params: { id: (made as Render).id } }),
  });
  return (
    <>
      <button type="button" className="button" disabled={again.isPending} onClick={() => again.mutate()}>{texts.render.again}</button>
      {again.error && <ProblemBox problem={problemOf(again.error)} />}
    </>
  );
}

/** The files of a render: one at a time, as pages, picture or text, never as markup. */
function Document({ render }: { render: Render }) {
  const search = useSearch({ from: '/renders/$id' });
  const navigate = useNavigate({ from: '/renders/$id' });
  const go = useCallback((next: { file?: string; page?: number; zoom?: Zoom }) => {
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  }, [navigate]);
  const file = render.files.find((each) => each.id === search.file) ?? render.files[0];
  // A new address of the same file is no reason to fetch it again.
  const bytes = useQuery(fileBytes(file));

  if (!file) {
    const why = render.files_purged_at ? texts.render.purgedFiles : texts.render.noFiles[render.status];
    return <div className="document-pane"><div className="pane-empty"><p>{why}</p></div></div>;
  }
  return (
    <div className="document-pane">
      <div className="file-bar">
        <div className="segments" role="group" aria-label={texts.render.files}>
          {render.files.map((each) => (
            <button key={each.id} type="button" aria-pressed={each.id === file.id} onClick={() => go({ file: each.id })}>
              {each.format}
            </button>
          ))}
        </div>
        <span className="file-name" title={file.filename}>{file.filename}</span>
        <span className="file-size">{shownBytes(file.bytes)}</span>
        {file.url && <a className="button" href={file.url} rel="noreferrer">{texts.pages.download}</a>}
      </div>
      {bytes.error && <p className="pdf-unreadable" role="alert">{texts.pages.unreadable}</p>}
      {bytes.data && <FileView key={file.id} file={file} bytes={bytes.data} page={search.page ?? 1} zoom={search.zoom ?? 'width'} onChange={go} />}
    </div>
  );
}

function Facts({ render }: { render: Render }) {
  const metadata = Object.entries(render.metadata);
  return (
    <section className="block">
      <h2>{texts.render.details}</h2>
      <dl className="facts">
        <dt>{texts.render.id}</dt><dd><CopyText text={render.id} /></dd>
        <dt>{texts.render.mode}</dt><dd>{render.mode}</dd>
        <dt>{texts.render.billed}</dt><dd>{render.billed ? texts.render.yes : texts.render.no}</dd>
        <dt>{texts.render.engine}</dt><dd>{render.engine}{render.region && `, ${render.region}`}</dd>
        {render.template_id && <><dt>{texts.render.template}</dt><dd><IdLink id={render.template_id} /> {render.template_version !== null && texts.render.version(render.template_version)}</dd></>}
        {render.batch_id && <><dt>{texts.render.batch}</dt><dd><IdLink id={render.batch_id} /></dd></>}
        {metadata.length > 0 && <><dt>{texts.render.metadata}</dt><dd><ul className="chips">{metadata.map(([name, value]) => <li key={name}><code>{name}={String(value)}</code></li>)}</ul></dd></>}
      </dl>
    </section>
  );
}
