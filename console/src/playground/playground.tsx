import * as Tabs from '@radix-ui/react-tabs';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import examples from 'virtual:examples';
import { type KeyboardEvent, lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import type { Goal, Language } from '../editor/code-editor.tsx';
import type { Box, OpenedPdf } from '../pdf/document.ts';
import { FileView } from '../pdf/file-view.tsx';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { useDrop } from '../ui/drop.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useTitle } from '../ui/title.ts';
import { AssetsTab, useAssets } from './assets-tab.tsx';
import type { Asset } from './assets.ts';
import { useDraft } from './draft.ts';
import { Gallery } from './gallery.tsx';
import { BLANK, type Draft, type Format, FORMATS, parsedData, requestOf } from './model.ts';
import { countOf, OptionsForm, withValue } from './options-form.tsx';
import { type Place, placeOfProblem, tabOfPointer, type Warning } from './places.ts';
import { type Preview, usePreview } from './preview.ts';
import { SaveAsTemplate } from './save-dialog.tsx';
import { type Panel, PARTS, type PlaygroundSearch, type Source, type Tab, TABS } from './search.ts';
import { Splitter, useWidths } from './splitter.tsx';
import { draftOfTemplate, formatOf } from './template-origin.ts';
import { useRemarks, Warnings } from './warnings.tsx';
import { boxesOfWarning, lineOfWarning, marginsOf } from './where.ts';
import './playground.css';

const CodeEditor = lazy(() => import('../editor/code-editor.tsx'));
const ExplainPanel = lazy(() => import('./explain-panel.tsx'));

const LANGUAGES: Record<Source, Language> = { html: 'html', head: 'html', css: 'css', header: 'html', footer: 'html', data: 'json' };
const HINTS: { [_ in Tab]?: string } = { head: texts.play.headHint, header: texts.play.headerHint, footer: texts.play.footerHint };
const RENDER_KEYS = navigator.platform.startsWith('Mac') ? '⌘↵' : 'Ctrl ↵';
const NO_BOXES: readonly Box[] = [];

/** Write a document at the left, see it in the middle, and why it looks so at the right. */
export function Playground() {
  const search = useSearch({ from: '/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const { isLive, can } = useRights();
  const { draft, change, replace, undo } = useDraft();
  const [goal, setGoal] = useState<Goal | null>(null);
  const [pdf, setPdf] = useState<OpenedPdf | null>(null);
  const memory = useRef(new Map<string, unknown>());
  const { box, widths, resize } = useWidths();
  useTitle(texts.rail.playground);

  const go = useCallback((next: { [_ in keyof PlaygroundSearch]?: PlaygroundSearch[_] | undefined }) => {
    void navigate({ search: (before) => defined({ ...before, ...next }), replace: true, resetScroll: false });
  }, [navigate]);

  const parsed = useMemo(() => parsedData(draft.sources.data), [draft.sources.data]);
  const fault = 'fault' in parsed ? parsed.fault : null;
  const data = 'fault' in parsed ? null : parsed.data;
  const request = useMemo(() => ('fault' in parsed ? null : requestOf(draft, parsed.data)), [draft, parsed]);
  const isEmpty = draft.template === null && draft.sources.html.trim() === '';
  const canRender = can('render:write');
  const { preview, keep, again } = usePreview(isEmpty ? null : request, canRender && !isLive);
  const opening = useBeginning(search, replace, () => go({ example: undefined, template: undefined, version: undefined }));

  const goTo = useCallback(({ source, line, column }: Place) => {
    go({ tab: source, part: 'sources' });
    setGoal({ line, column });
  }, [go]);
  const goToPointer = (pointer: string) => {
    const target = tabOfPointer(draft, pointer);
    if (target === 'assets') { go({ tab: 'assets', part: 'sources' }); return; }
    if (target) { goTo({ source: target, line: 1, column: 1 }); return; }
    go({ panel: 'options', part: 'inspector' });
    requestAnimationFrame(() => showOption(pointer));
  };
  const changeOption = useCallback((path: string, value: unknown) => {
    change((before) => ({ ...before, output: withValue(before.output, path, value), template: null }));
  }, [change]);
  const changeAssets = useCallback((next: (assets: Asset[]) => Asset[]) => {
    change((before) => ({ ...before, assets: next(before.assets) }));
  }, [change]);
  const adding = useAssets(draft.assets, changeAssets);
  const drop = useDrop((files) => { go({ tab: 'assets', part: 'sources' }); adding.add(files); });

  const tab = search.tab ?? 'html';
  const panel = search.panel ?? 'options';
  const part = search.part ?? 'sources';
  const warnings = preview.render?.warnings ?? [];
  // Lines belong to the draft that was rendered: what is written since must not move them.
  const places = useMemo(() => warnings.map((each) => lineOfWarning(draft, each)), [preview.render]);
  const remarks = useRemarks(tab, draft, preview, places, fault);
  const [pointed, setPointed] = useState<Warning | null>(null);
  const marks = useMarks(pdf, draft, pointed);
  const margins = useMemo(() => marginsOf(draft), [draft]);
  const canSend = request !== null && !isEmpty && canRender && !preview.isPending;
  const onRender = useCallback(() => { if (canRender && !isEmpty) keep(); }, [canRender, isEmpty, keep]);
  const onKeys = (event: KeyboardEvent) => {
    const isInDialog = (event.target as Element).closest('dialog') !== null;
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented || isInDialog) return;
    event.preventDefault();
    onRender();
  };
  const onPlace = useCallback((place: { page?: number; zoom?: PlaygroundSearch['zoom'] }) => go(place), [go]);

  return (
    <div className={drop.isOver ? 'playground dropping' : 'playground'} data-part={part} ref={box} onKeyDown={onKeys} {...drop.handlers}>
      <header className="topline">
        <h1 className="hidden">{texts.rail.playground}</h1>
        <input
          className="title-input"
          aria-label={texts.play.nameLabel}
          placeholder={texts.play.untitled}
          maxLength={255}
          value={draft.name}
          onChange={(event) => change((before) => ({ ...before, name: event.target.value }))}
        />
        <Gallery onBlank={() => replace(BLANK)} onExample={(name) => go({ example: name })} />
        <span className="spacer" />
        <output className="timing" aria-live="polite">
          {preview.isPending ? texts.play.rendering : preview.ms !== null && texts.play.took(preview.ms)}
        </output>
        <div className="topline-choices">
          <select className="input choice" aria-label={texts.play.format} value={draft.format} onChange={(event) => change((before) => ({ ...before, format: event.target.value as Format }))}>
            {FORMATS.filter((each) => each !== 'xml' || draft.format === 'xml' || draft.template !== null || draft.output.einvoice !== undefined).map((each) => <option key={each} value={each}>{texts.play.formats[each]}</option>)}
          </select>
          <EngineChoice value={draft.engine} onChange={(engine) => change((before) => ({ ...before, engine }))} />
        </div>
        {can('templates:write') && draft.sources.html.trim() !== '' && <SaveAsTemplate draft={draft} data={data} />}
        {request && <CopyAs programs={() => programsOf({ method: 'POST', path: '/renders', body: { ...request, delivery: { type: 'binary' } }, target: `document.${draft.format}` })} />}
        <button type="button" className={isLive ? 'button primary live' : 'button primary'} disabled={!canSend} onClick={onRender} aria-keyshortcuts="Control+Enter Meta+Enter">
          {isLive ? texts.play.renderLive : texts.play.render}
          <kbd>{RENDER_KEYS}</kbd>
        </button>
      </header>
      <div className="part-switch segments" role="group" aria-label={texts.rail.playground}>
        {PARTS.map((each) => (
          <button key={each} type="button" aria-pressed={part === each} onClick={() => go({ part: each })}>{texts.play[each]}</button>
        ))}
      </div>

      <section className="pane sources" aria-label={texts.play.sources}>
        {undo && <p className="pane-note">{texts.play.replaced} <button type="button" className="link" onClick={undo}>{texts.play.undo}</button></p>}
        {draft.template && <p className="pane-note">{texts.play.ofTemplate(draft.template.version)} <code>{draft.template.id}</code></p>}
        <Tabs.Root className="tabs" value={tab} onValueChange={(value) => { setGoal(null); go({ tab: value as Tab }); }}>
          <Tabs.List className="tab-list" aria-label={texts.play.sources}>
            {TABS.map((each) => (
              <Tabs.Trigger key={each} value={each} className="tab">
                {texts.play.tabs[each]}
                <TabMark tab={each} draft={draft} faultLine={fault?.line ?? null} />
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <Tabs.Content key={tab} value={tab} className="tab-body" tabIndex={-1}>
            {HINTS[tab] && <p className="tab-hint">{HINTS[tab]}</p>}
            {tab === 'assets' ? (
              <AssetsTab assets={draft.assets} change={changeAssets} adding={adding} onInsert={(text) => { go({ tab: 'html' }); setGoal({ insert: text }); }} />
            ) : (
              <Suspense fallback={<div className="editor" />}>
                <CodeEditor
                  name={tab}
                  label={texts.play.tabs[tab]}
                  language={LANGUAGES[tab]}
                  text={draft.sources[tab]}
                  remarks={remarks}
                  goal={goal}
                  memory={memory.current}
                  onChange={(text) => change((before) => ({
                    ...before,
                    sources: { ...before.sources, [tab]: text },
                    // A template with other sources is a document of its own.
                    template: tab === 'data' ? before.template : null,
                  }))}
                  onRender={onRender}
                />
              </Suspense>
            )}
          </Tabs.Content>
        </Tabs.Root>
        {fault && (
          <p className="fault" role="alert">
            <button type="button" className="link" onClick={() => goTo({ source: 'data', ...fault })}>{fault.message}</button>
          </p>
        )}
      </section>
      <Splitter label={texts.play.resize.sources} value={widths.sources} onChange={(value) => resize({ sources: value })} />

      <section className="pane preview" aria-label={texts.play.preview}>
        {opening && <ProblemBox problem={opening} />}
        {preview.problem && (
          <ProblemBox
            problem={preview.problem}
            onPlace={(place) => {
              if ('pointer' in place) goToPointer(place.pointer);
              else goTo(placeOfProblem(draft, preview.problem as Problem) ?? { source: 'html', ...place });
            }}
          >
            {preview.problem.status === undefined && !isLive && <button type="button" className="link" onClick={again}>{texts.net.retry}</button>}
          </ProblemBox>
        )}
        {!canRender && <p className="pane-note">{texts.play.noWrite}</p>}
        {canRender && isLive && <p className="pane-note">{texts.play.liveIdle}</p>}
        {preview.render && !isNotKept(preview) && can('renders:read') && (
          <p className="pane-note good"><Link to="/renders/$id" params={{ id: preview.render.id }}>{texts.play.rendered}</Link> <code>{preview.render.id}</code></p>
        )}
        {preview.document ? (
          <FileView
            {...preview.document}
            page={search.page ?? 1}
            zoom={search.zoom ?? 'width'}
            onChange={onPlace}
            onOpen={setPdf}
            marks={marks}
            margins={margins}
          />
        ) : (
          <div className="pane-empty"><p>{preview.problem ? '' : texts.play.empty}</p></div>
        )}
      </section>
      <Splitter label={texts.play.resize.inspector} value={widths.inspector} isReversed onChange={(value) => resize({ inspector: value })} />

      <section className="pane inspector" aria-label={texts.play.inspector}>
        <Tabs.Root className="tabs" value={panel} onValueChange={(value) => go({ panel: value as Panel })}>
          <Tabs.List className="tab-list" aria-label={texts.play.inspector}>
            <Tabs.Trigger value="options" className="tab">{texts.play.options}<Count value={countOf(draft.output)} /></Tabs.Trigger>
            <Tabs.Trigger value="warnings" className="tab">{texts.play.warnings}<Count value={warnings.length} isWarning /></Tabs.Trigger>
            <Tabs.Trigger value="explain" className="tab">{texts.play.explain}</Tabs.Trigger>
          </Tabs.List>
          <Tabs.Content value="options" className="tab-body scroll" tabIndex={-1}>
            <OptionsForm format={draft.format} output={draft.output} onChange={changeOption} />
          </Tabs.Content>
          <Tabs.Content value="warnings" className="tab-body scroll padded">
            <Warnings warnings={warnings} places={places} onPlace={goTo} onPoint={setPointed} />
          </Tabs.Content>
          <Tabs.Content value="explain" className="tab-body scroll padded">
            {preview.render ? (
              <Suspense><ExplainPanel render={preview.render} document={preview.document} /></Suspense>
            ) : <p className="quiet">{texts.play.noExplain}</p>}
          </Tabs.Content>
        </Tabs.Root>
      </section>
    </div>
  );
}

function defined(search: { [_ in keyof PlaygroundSearch]?: PlaygroundSearch[_] | undefined }): PlaygroundSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as PlaygroundSearch;
}

function isNotKept(preview: Preview): boolean {
  return preview.render?.files.every((file) => file.expires_at === null) ?? true;
}

function Count({ value, isWarning = false }: { value: number; isWarning?: boolean }) {
  return value > 0 ? <span className={isWarning ? 'count warning' : 'count'}>{value}</span> : null;
}

/** The renderer: the newest one, or one by its name. */
function EngineChoice({ value, onChange }: { value: string | null; onChange: (engine: string | null) => void }) {
  const { key } = useKey();
  const { can } = useRights();
  const engines = useQuery({
    queryKey: ['engines', key],
    staleTime: Infinity,
    enabled: can('renders:read'),
    queryFn: ({ signal }) => dataOf(api.GET('/v1/engines', { signal })),
  });
  const named = engines.data?.data.map(({ id }) => id) ?? [];
  if (named.length === 0) return null;
  return (
    <select className="input choice" aria-label={texts.play.engine} value={value ?? ''} onChange={(event) => onChange(event.target.value || null)}>
      <option value="">{texts.play.newest(named[0] ?? '')}</option>
      {[...new Set([...named, ...(value === null ? [] : [value])])].map((id) => <option key={id} value={id}>{id}</option>)}
    </select>
  );
}

function TabMark({ tab, draft, faultLine }: { tab: Tab; draft: Draft; faultLine: number | null }) {
  if (tab === 'assets') return <Count value={draft.assets.length} />;
  if (tab === 'data' && faultLine !== null) return <i className="mark bad" aria-label={texts.play.dataError(faultLine)} />;
  return /\S/.test(draft.sources[tab]) ? <i className="mark" /> : null;
}

/** Where a warning is on the pages, while somebody points to it. */
function useMarks(pdf: OpenedPdf | null, draft: Draft, warning: Warning | null): readonly Box[] {
  const [found, setFound] = useState<readonly Box[]>(NO_BOXES);
  useEffect(() => {
    let isCurrent = true;
    setFound(NO_BOXES);
    if (pdf && warning) void boxesOfWarning(pdf, draft, warning).then((boxes) => { if (isCurrent) setFound(boxes); }, () => undefined);
    return () => { isCurrent = false; };
  }, [pdf, draft, warning]);
  return found;
}

/** Begin from the example or the template that the address names; then the name leaves the address. */
function useBeginning({ example, template, version }: PlaygroundSearch, replace: (draft: Draft) => void, done: () => void): Problem | null {
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const draft = template !== undefined ? draftOfTemplate(template, version, abort.signal) : draftOfExample(example);
    draft?.then(
      (found) => {
        if (abort.signal.aborted) return;
        setProblem(null);
        replace(found);
        done();
      },
      (error: unknown) => { if (!abort.signal.aborted) setProblem(problemOf(error)); },
    );
    return () => abort.abort();
    // The names alone say what to load.
  }, [example, template, version]);
  return problem;
}

function draftOfExample(name: string | undefined): Promise<Draft> | undefined {
  const example = examples.find((each) => each.name === name);
  return example?.load().then(({ default: { options, ...sources } }) => {
    const { output_format, ...output } = options;
    return { ...BLANK, name: example.title, sources: { ...BLANK.sources, ...sources }, output, format: formatOf(output_format) };
  });
}

/** Show the field of an option, and of its groups, by the pointer of a problem. */
function showOption(pointer: string): void {
  const path = pointer.replace(/^\/output\//, '').split('/');
  for (let length = path.length; length > 0; length -= 1) {
    const target = document.getElementById(`option-${path.slice(0, length).join('.')}`);
    if (!target) continue;
    for (let group = target.closest('details'); group; group = group.parentElement?.closest('details') ?? null) group.open = true;
    target.scrollIntoView({ block: 'center' });
    target.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return;
  }
}
