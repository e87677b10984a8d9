import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { Option, withValue } from '../playground/options-form.tsx';
import { FileView } from '../pdf/file-view.tsx';
import { fileBytes, isFinal, oneRender, type Render } from '../renders/queries.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { useDrop } from '../ui/drop.ts';
import { shownBytes } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { Status } from '../ui/status.tsx';
import { useTitle } from '../ui/title.ts';
import { WithCode } from '../ui/with-code.tsx';
import { Attachments, FormFields } from './by-hand.tsx';
import { forms } from './forms.ts';
import { requestOf, sourcesFor, type ToolOptions } from './request.ts';
import { SourceRows } from './source-rows.tsx';
import { useSources } from './sources.ts';
import './tools.css';
import { type Group, GROUPS, type Tool } from './tool-list.ts';

type AllOptions = Partial<Record<Tool, ToolOptions>>;

/** Files are dropped, a tool works on them, and its result is a document. */
export function ToolsView() {
  const search = useSearch({ from: '/tools' });
  const tool = search.tool ?? 'merge';
  const navigate = useNavigate({ from: '/tools' });
  const { can, isLive } = useRights();
  const sources = useSources();
  const [chosen, setChosen] = useState<string | null>(null);
  const [all, setAll] = useState<AllOptions>({});
  useTitle(texts.tools.names[tool]);

  const options = all[tool] ?? {};
  const used = sourcesFor(tool, sources.list, chosen);
  const set = (path: string, value: unknown) => setAll((before) => ({ ...before, [tool]: withValue(before[tool] ?? {}, path, value) }));
  const run = useMutation({
    mutationFn: async () => {
      const body = await requestOf(tool, options, used, sources.uploadOf);
      // All tools answer a render; their bodies differ, and the service checks them.
      const path = `/v1/pdf-tools/${tool}` as '/v1/pdf-tools/flatten';
      return (await dataOf(api.POST(path, { body: body as { source: { upload_id: string } } }))) as Render;
    },
    onSuccess: (render) => navigate({ search: { tool, result: render.id } }),
  });
  const problem = run.error ? problemOf(run.error) : null;
  const missing = sources.list.length === 0 || (tool === 'merge' && sources.list.length < 2);

  if (!can('render:write')) return <p className="pane-note">{texts.key.noScope('render:write')}</p>;
  return (
    <div className="tools">
      <header className="topline">
        <h1>{texts.tools.title}</h1>
        <span className="spacer" />
        <CopyAs programs={() => programsOf({ method: 'POST', path: `/pdf-tools/${tool}`, body: exampleOf(tool, options, used.length) })} />
        <button type="button" className={isLive ? 'button primary live' : 'button primary'} disabled={missing || run.isPending} onClick={() => run.mutate()}>
          {run.isPending ? texts.tools.running : isLive ? texts.tools.runLive(texts.tools.names[tool]) : texts.tools.names[tool]}
        </button>
      </header>
      <ToolList tool={tool} onChoose={(next) => { run.reset(); void navigate({ search: { tool: next } }); }} />
      <section className="tool-files" aria-label={texts.tools.files}>
        {search.result ? (
          <Result id={search.result} />
        ) : (
          <DropArea isEmpty={sources.list.length === 0} onFiles={sources.add}>
            <SourceRows sources={sources} tool={tool} chosen={used[0]} onChoose={setChosen} options={options} onOption={set} />
          </DropArea>
        )}
      </section>
      <section className="tool-options" aria-label={texts.tools.options}>
        <h2>{texts.tools.names[tool]}</h2>
        <p className="option-text"><WithCode text={forms[tool].description} /></p>
        {problem && <ProblemBox problem={problem} onPlace={(place) => 'pointer' in place && focusOption(place.pointer)} />}
        {missing && <p className="quiet">{tool === 'merge' ? texts.tools.needTwo : texts.tools.needOne}</p>}
        {tool === 'fill-form' && used[0]?.pdf && <FormFields pdf={used[0].pdf} values={(options.fields as Record<string, unknown> | undefined) ?? {}} onChange={(fields) => set('fields', fields)} />}
        {tool === 'attach' && <Attached options={options} onChange={(list) => set('attachments', list)} />}
        {tool === 'split' && Array.isArray(options.ranges) && <p className="quiet">{texts.tools.parts((options.ranges as string[]).join(' | '))}</p>}
        <div className="options">{forms[tool].fields.map((field) => <Option key={field.path} field={field} output={options} onChange={set} isOpen={field.kind === 'group'} />)}</div>
      </section>
    </div>
  );
}

function ToolList({ tool, onChoose }: { tool: Tool; onChoose: (tool: Tool) => void }) {
  return (
    <nav className="tool-list" aria-label={texts.tools.list}>
      {(Object.keys(GROUPS) as Group[]).map((group) => (
        <div key={group}>
          <h2>{texts.tools.groups[group]}</h2>
          <ul>
            {GROUPS[group].map((each) => (
              <li key={each}><button type="button" aria-current={each === tool ? 'true' : undefined} onClick={() => onChoose(each)}>{texts.tools.names[each]}</button></li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Attached({ options, onChange }: { options: ToolOptions; onChange: (list: unknown) => void }) {
  const [bytes, setBytes] = useState(new Map<string, number>());
  const list = ((options.attachments as { filename: string; upload_id: string }[] | undefined) ?? []).map((each) => ({ ...each, bytes: bytes.get(each.upload_id) ?? 0 }));
  return (
    <Attachments
      list={list}
      onChange={(next) => {
        setBytes(new Map(next.map((each) => [each.upload_id, each.bytes])));
        onChange(next.length === 0 ? undefined : next.map(({ filename, upload_id }) => ({ filename, upload_id })));
      }}
    />
  );
}

/** An area that takes files by drop, by button and by paste. */
function DropArea({ isEmpty, onFiles, children }: { isEmpty: boolean; onFiles: (files: Iterable<File>) => void; children: React.ReactNode }) {
  const { isOver, handlers } = useDrop(onFiles);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div
      className={isOver ? 'drop-area over' : 'drop-area'}
      {...handlers}
      onPaste={(event) => event.clipboardData.files.length > 0 && onFiles(event.clipboardData.files)}
    >
      {children}
      <div className={isEmpty ? 'drop-call empty' : 'drop-call'}>
        {isEmpty && <h2>{texts.tools.drop}</h2>}
        {isEmpty && <p>{texts.tools.dropLead}</p>}
        <button type="button" className={isEmpty ? 'button primary' : 'button'} onClick={() => input.current?.click()}>{isEmpty ? texts.tools.choose : texts.tools.add}</button>
        <input ref={input} type="file" accept="application/pdf,.pdf" multiple hidden aria-label={texts.tools.choose} onChange={(event) => { if (event.target.files) onFiles(event.target.files); event.target.value = ''; }} />
      </div>
    </div>
  );
}

/** What the tool has made. */
function Result({ id }: { id: string }) {
  const search = useSearch({ from: '/tools' });
  const navigate = useNavigate({ from: '/tools' });
  const { key } = useKey();
  const render = useQuery(oneRender(key ?? '', id));
  const file = render.data?.files.find((each) => each.id === search.file) ?? render.data?.files[0];
  const bytes = useQuery(fileBytes(file));
  const go = useCallback((next: object) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false }), [navigate]);
  return (
    <div className="document-pane">
      <div className="file-bar">
        <button type="button" className="button" onClick={() => void navigate({ search: (before) => ({ ...(before.tool ? { tool: before.tool } : {}) }) })}>{texts.tools.backToFiles}</button>
        {render.data && <Status status={render.data.status} />}
        {render.data && render.data.files.length > 1 && (
          <select className="input" aria-label={texts.render.files} value={file?.id} onChange={(event) => go({ file: event.target.value })}>
            {render.data.files.map((each) => <option key={each.id} value={each.id}>{each.filename}</option>)}
          </select>
        )}
        {file && <span className="file-name" title={file.filename}>{file.filename}</span>}
        {file && <span className="file-size">{shownBytes(file.bytes)}</span>}
        <span className="spacer" />
        {file?.url && <a className="button" href={file.url} rel="noreferrer">{texts.pages.download}</a>}
        <Link to="/renders/$id" params={{ id }} className="link">{texts.play.rendered}</Link>
      </div>
      {render.error && <ProblemBox problem={problemOf(render.error)} />}
      {render.data?.error && <ProblemBox problem={{ title: texts.render.failed, detail: render.data.error.message, code: render.data.error.code }} />}
      {render.data?.result && <pre className="tool-result" tabIndex={0}>{JSON.stringify(present(render.data.result), null, 2)}</pre>}
      {render.data && !isFinal(render.data) && <div className="pane-empty"><p>{texts.tools.running}</p></div>}
      {bytes.error && <p className="pdf-unreadable" role="alert">{texts.pages.unreadable}</p>}
      {file && bytes.data && <FileView key={file.id} file={file} bytes={bytes.data} page={search.page ?? 1} zoom={search.zoom ?? 'width'} onChange={go} />}
    </div>
  );
}

/** A result without what is null. */
function present(result: object): object {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
}

/** The request with ids of uploads to be put in. */
function exampleOf(tool: Tool, options: ToolOptions, count: number): object {
  const source = { upload_id: 'upl_…' };
  return tool === 'merge' ? { ...options, sources: Array.from({ length: Math.max(2, count) }, () => source) } : { ...options, source };
}

function focusOption(pointer: string): void {
  const path = pointer.replace(/^\//, '').replaceAll('/', '.');
  document.getElementById(`option-${path}`)?.querySelector<HTMLElement>('input, select, textarea')?.focus();
}
