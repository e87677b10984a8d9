import * as Menu from '@radix-ui/react-dropdown-menu';
import * as Tabs from '@radix-ui/react-tabs';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import examples from 'virtual:examples';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { useRights } from '../api/account.ts';
import type { Problem } from '../api/problem.ts';
import type { Language, Remark } from '../editor/code-editor.tsx';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { ExplainDetails, Stages } from '../ui/explain.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useTitle } from '../ui/title.ts';
import { WithCode } from '../ui/with-code.tsx';
import { BLANK, type Draft, parsedData, requestOf, useDraft } from './draft.ts';
import { countOf, OptionsForm, withValue } from './options-form.tsx';
import { type Place, placeOfProblem, placeOfWarning, sourceOfPointer } from './places.ts';
import { type Preview, usePreview } from './preview.ts';
import { type Panel, PARTS, type PlaygroundSearch, SOURCES, type Source } from './search.ts';
import { Splitter, useWidths } from './splitter.tsx';

const CodeEditor = lazy(() => import('../editor/code-editor.tsx'));
const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));

const LANGUAGES: Record<Source, Language> = { html: 'html', css: 'css', header: 'html', footer: 'html', data: 'json' };
const RENDER_KEYS = navigator.platform.startsWith('Mac') ? '⌘↵' : 'Ctrl ↵';
const COPIED_TARGET = 'document.pdf';

/** Write a document at the left, see it in the middle, and why it looks so at the right. */
export function Playground() {
  const search = useSearch({ from: '/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const { isLive, can } = useRights();
  const [draft, change] = useDraft();
  const [goal, setGoal] = useState<{ line: number; column: number } | null>(null);
  const { box, widths, resize } = useWidths();
  useTitle(texts.rail.playground);

  const go = useCallback((next: { [_ in keyof PlaygroundSearch]?: PlaygroundSearch[_] | undefined }) => {
    void navigate({ search: (before) => defined({ ...before, ...next }), replace: true, resetScroll: false });
  }, [navigate]);

  const parsed = useMemo(() => parsedData(draft.sources.data), [draft.sources.data]);
  const fault = 'fault' in parsed ? parsed.fault : null;
  const request = useMemo(() => ('fault' in parsed ? null : requestOf(draft, parsed.data)), [draft, parsed]);
  const isEmpty = draft.sources.html.trim() === '';
  const canRender = can('render:write');
  const [preview, keep] = usePreview(isEmpty ? null : request, canRender && !isLive);

  useExample(search.example, change, () => go({ example: undefined }));

  const goTo = useCallback(({ source, line, column }: Place) => {
    go({ tab: source, part: 'sources' });
    setGoal({ line, column });
  }, [go]);
  const goToPointer = (pointer: string) => {
    const source = sourceOfPointer(pointer);
    if (source) { goTo({ source, line: 1, column: 1 }); return; }
    go({ panel: 'options', part: 'inspector' });
    requestAnimationFrame(() => showOption(pointer));
  };
  const changeOption = useCallback((path: string, value: unknown) => {
    change((before) => ({ ...before, output: withValue(before.output, path, value) }));
  }, [change]);

  const tab = search.tab ?? 'html';
  const panel = search.panel ?? 'options';
  const part = search.part ?? 'sources';
  const remarks = useRemarks(tab, preview, fault);
  const warnings = preview.render?.warnings ?? [];
  const canSend = request !== null && !isEmpty && canRender && !preview.isPending;
  const onRender = useCallback(() => keep(), [keep]);
  const onPlace = useCallback((place: { page?: number; zoom?: PlaygroundSearch['zoom'] }) => go(place), [go]);

  return (
    <div className="playground" data-part={part} ref={box}>
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
        <Gallery onBlank={() => change(() => BLANK)} onExample={(name) => go({ example: name })} />
        <span className="spacer" />
        <output className="timing" aria-live="polite">
          {preview.isPending ? texts.play.rendering : preview.ms !== null && texts.play.took(preview.ms)}
        </output>
        {request && <CopyAs programs={() => programsOf({ method: 'POST', path: '/renders', body: { ...request, delivery: { type: 'binary' } }, target: COPIED_TARGET })} />}
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
        <Tabs.Root className="tabs" value={tab} onValueChange={(value) => { setGoal(null); go({ tab: value as Source }); }}>
          <Tabs.List className="tab-list" aria-label={texts.play.sources}>
            {SOURCES.map((each) => (
              <Tabs.Trigger key={each} value={each} className="tab">
                {texts.play.tabs[each]}
                {each === 'data' && fault ? <i className="mark bad" aria-label={texts.play.dataError(fault.line)} /> : draft.sources[each].trim() !== '' && <i className="mark" />}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <Tabs.Content key={tab} value={tab} className="tab-body" tabIndex={-1}>
            {(tab === 'header' || tab === 'footer') && <p className="tab-hint">{tab === 'header' ? texts.play.headerHint : texts.play.footerHint}</p>}
            <Suspense fallback={<div className="editor" />}>
              <CodeEditor
                name={tab}
                label={texts.play.tabs[tab]}
                language={LANGUAGES[tab]}
                text={draft.sources[tab]}
                remarks={remarks}
                goal={goal}
                onChange={(text) => change((before) => ({ ...before, sources: { ...before.sources, [tab]: text } }))}
                onRender={onRender}
              />
            </Suspense>
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
        {preview.problem && (
          <ProblemBox
            problem={preview.problem}
            onPlace={(place) => {
              if ('pointer' in place) goToPointer(place.pointer);
              else goTo(placeOfProblem(preview.problem as Problem) ?? { source: 'html', ...place });
            }}
          />
        )}
        {!canRender && <p className="pane-note">{texts.play.noWrite}</p>}
        {canRender && isLive && <p className="pane-note">{texts.play.liveIdle}</p>}
        {preview.render && !isNotKept(preview) && can('renders:read') && (
          <p className="pane-note good"><Link to="/renders/$id" params={{ id: preview.render.id }}>{texts.play.rendered}</Link> <code>{preview.render.id}</code></p>
        )}
        {preview.bytes ? (
          <Suspense fallback={<div className="pdf" />}>
            <PdfView bytes={preview.bytes} page={search.page ?? 1} zoom={search.zoom ?? 'width'} onChange={onPlace} />
          </Suspense>
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
            <OptionsForm output={draft.output} onChange={changeOption} />
          </Tabs.Content>
          <Tabs.Content value="warnings" className="tab-body scroll padded">
            <Warnings warnings={warnings} onPlace={goTo} />
          </Tabs.Content>
          <Tabs.Content value="explain" className="tab-body scroll padded">
            {preview.render ? (
              <>
                <Stages timings={preview.render.timings} />
                <ExplainDetails explain={preview.render.explain} logs={preview.render.logs} />
              </>
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

function Gallery({ onBlank, onExample }: { onBlank: () => void; onExample: (name: string) => void }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button quiet-button">{texts.play.gallery}<Icon name="down" /></Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="start" sideOffset={4}>
          {examples.map(({ name, title }) => (
            <Menu.Item key={name} className="menu-item" onSelect={() => onExample(name)}>{title}</Menu.Item>
          ))}
          <Menu.Separator className="menu-line" />
          <Menu.Item className="menu-item" onSelect={onBlank}>{texts.play.blank}</Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

type Warning = NonNullable<Preview['render']>['warnings'][number];

function Warnings({ warnings, onPlace }: { warnings: readonly Warning[]; onPlace: (place: Place) => void }) {
  if (warnings.length === 0) return <p className="quiet">{texts.play.noWarnings}</p>;
  return (
    <ul className="remarks">
      {warnings.map((warning, number) => {
        const place = placeOfWarning(warning);
        return (
          <li key={`${number} ${warning.code}`} className="remark warning">
            <code>{warning.code}</code>
            <p><WithCode text={warning.message} /></p>
            {warning.detail && (place
              ? <button type="button" className="link" onClick={() => onPlace(place)}>{warning.detail}</button>
              : <code>{warning.detail}</code>)}
          </li>
        );
      })}
    </ul>
  );
}

/** Remarks of one source: errors of data and templates, and warnings, at their lines. */
function useRemarks(tab: Source, preview: Preview, fault: { line: number; column: number; message: string } | null): Remark[] {
  return useMemo(() => {
    const found: Remark[] = [];
    if (tab === 'data' && fault) found.push({ ...fault, level: 'error' });
    const place = preview.problem && placeOfProblem(preview.problem);
    if (preview.problem && place?.source === tab) found.push({ ...place, message: preview.problem.detail, level: 'error' });
    for (const warning of preview.problem ? [] : (preview.render?.warnings ?? [])) {
      const at = placeOfWarning(warning);
      if (at?.source === tab) found.push({ ...at, message: warning.message, level: 'warning' });
    }
    return found;
  }, [tab, preview, fault]);
}

/** Put an example into the draft when the address names one; then the name leaves the address. */
function useExample(name: string | undefined, change: (next: (draft: Draft) => Draft) => void, done: () => void): void {
  useEffect(() => {
    const example = examples.find((each) => each.name === name);
    if (!example) return;
    void example.load().then(({ default: { options, ...sources } }) => {
      const { output_format: _format, image: _image, ...output } = options;
      change(() => ({ name: example.title, sources, output }));
      done();
    });
    // The name alone says what to load.
  }, [name]);
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
