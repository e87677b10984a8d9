import * as Tabs from '@radix-ui/react-tabs';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import type { Language, Remark } from '../editor/code-editor.tsx';
import { parsedData } from '../playground/model.ts';
import { countOf } from '../playground/options-form.tsx';
import { Splitter, useWidths } from '../playground/splitter.tsx';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useTitle } from '../ui/title.ts';
import { Actions } from './actions.tsx';
import { ConflictView } from './conflict-view.tsx';
import { DatasetBar, useDatasets } from './datasets.tsx';
import { DiffView } from './diff-view.tsx';
import { OptionsPanel } from './options-panel.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { PublishSheet } from './publish-sheet.tsx';
import { draftOf, oneTemplate, type Template, type TemplateDraft } from './queries.ts';
import { SchemaBar } from './schema-bar.tsx';
import { PARTS, type Panel, type Tab, type TemplateSearch } from './search.ts';
import { LANGUAGE_OF, optionsOf, TEXTS_OF } from './source.ts';
import { Restore } from './template-list.tsx';
import { useEdit } from './use-edit.ts';
import { VersionsPanel } from './versions-panel.tsx';
import './templates.css';

const CodeEditor = lazy(() => import('../editor/code-editor.tsx'));
const CodeText = lazy(() => import('../editor/code-text.tsx'));

/** One template: its draft at the left, the page in the middle, options and versions at the right. */
export function TemplateView() {
  const { id } = useParams({ from: '/templates/$id' });
  const { key } = useKey();
  const { can } = useRights();
  const template = useQuery({ ...oneTemplate(key ?? '', id), enabled: can('templates:read') });
  const draft = useQuery({ ...draftOf(key ?? '', id), enabled: template.isSuccess });
  useTitle(template.data?.name ?? texts.templates.title);
  if (!can('templates:read')) return <p className="pane-note">{texts.key.noScope('templates:read')}</p>;
  const error = template.error ?? draft.error;
  if (error) return <Missing id={id} problem={problemOf(error)} />;
  if (!template.data || !draft.data) return null;
  return <Opened key={id} template={template.data} draft={draft.data} />;
}

function Missing({ id, problem }: { id: string; problem: Problem }) {
  const { can } = useRights();
  const isDeleted = problem.code === 'template_deleted';
  return (
    <div className="list-view">
      <header className="topline"><Link to="/templates" className="back"><Icon name="back" />{texts.template.back}</Link></header>
      {isDeleted ? (
        <div className="empty">
          <h1>{texts.template.deletedTitle(id)}</h1>
          <p>{texts.template.deletedLead}</p>
          {can('templates:write') && <Restore id={id} />}
        </div>
      ) : <ProblemBox problem={problem} />}
    </div>
  );
}

function Opened({ template, draft }: { template: Template; draft: TemplateDraft }) {
  const search = useSearch({ from: '/templates/$id' });
  const navigate = useNavigate({ from: '/templates/$id' });
  const { can } = useRights();
  const { box, widths, resize } = useWidths();
  const edit = useEdit(template, draft);
  const data = useDatasets(template.id, search.dataset);
  const sheet = useRef<HTMLDialogElement>(null);
  const [publishing, setPublishing] = useState<number | null>(null);
  const [goal, setGoal] = useState<{ line: number; column: number } | null>(null);
  const go = useCallback((next: { [_ in keyof TemplateSearch]?: TemplateSearch[_] | undefined }) => {
    void navigate({ search: (before) => Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value !== undefined)) as TemplateSearch, replace: true, resetScroll: false });
  }, [navigate]);

  const tabs: Tab[] = [...TEXTS_OF[template.type], 'data', 'schema'];
  const tab = tabs.find((each) => each === search.tab) ?? tabs[0] ?? 'html';
  const panel = search.panel ?? 'options';
  const part = search.part ?? 'sources';
  const mayWrite = can('templates:write');
  const canEdit = mayWrite && !template.locked;
  const faults = useFaults(edit.source.scene, edit.source.schema, data.text);
  const sourceFault = faults.scene ?? faults.schema;
  const fault = faults[tab] ?? sourceFault;
  const remarks = useMemo(() => (faults[tab] ? [remarkOf(faults[tab])] : []), [faults, tab]);
  const canSave = canEdit && edit.isDirty && !edit.isSaving && !sourceFault;
  const isData = tab === 'data';
  const text = isData ? data.text : edit.source[tab];
  const save = () => edit.saveNow(edit.source, edit.revision);
  const onSave = () => { if (canSave) void save(); };
  const onPublish = async () => {
    const revision = edit.isDirty ? await save() : edit.revision;
    if (revision === null) return;
    setPublishing(revision);
    sheet.current?.showModal();
  };
  const onPlace = useCallback((place: { page?: number; zoom?: TemplateSearch['zoom'] }) => go(place as TemplateSearch), [go]);
  const isDiff = search.from !== undefined && search.to !== undefined;

  return (
    <div className={edit.conflict || isDiff ? 'playground template whole' : 'playground template'} data-part={part} ref={box}>
      <header className="topline">
        <Link to="/templates" className="back"><Icon name="back" />{texts.template.back}</Link>
        <h1 title={template.name}>{template.name}</h1>
        <p className="strip">
          <span>{texts.template.draft(edit.revision)}</span>
          <span className={template.live_version ? 'strip-live' : ''}>{template.live_version ? texts.template.live(template.live_version.number) : texts.template.unpublished}</span>
          {template.locked && <span>{texts.template.locked}</span>}
          {edit.isDirty && <span className="strip-unsaved">{texts.template.unsaved}</span>}
        </p>
        <span className="spacer" />
        {edit.isDirty && canEdit && !edit.conflict && <button type="button" className="button quiet-button" onClick={() => edit.discard(draft)}>{texts.template.discard}</button>}
        <CopyAs programs={() => programsOf({ method: 'GET', path: `/templates/${template.id}/draft` })} />
        <Actions template={template} />
        {mayWrite && !edit.conflict && <button type="button" className="button" disabled={!canSave} onClick={onSave} aria-keyshortcuts="Control+Enter Meta+Enter">{edit.isSaving ? texts.template.saving : texts.template.save}</button>}
        {mayWrite && !edit.conflict && <button type="button" className="button primary" disabled={edit.isSaving || (edit.isDirty && !canSave)} aria-haspopup="dialog" onClick={() => void onPublish()}>{texts.template.publish}</button>}
      </header>
      <div className="part-switch segments" role="group" aria-label={template.name}>
        {PARTS.map((each) => (
          <button key={each} type="button" aria-pressed={part === each} onClick={() => go({ part: each })}>{texts.template.parts[each]}</button>
        ))}
      </div>
      {edit.conflict ? (
        <ConflictView
          conflict={edit.conflict}
          isSaving={edit.isSaving}
          onKeep={(source) => void edit.saveNow(source, edit.conflict?.theirs.revision ?? edit.revision)}
          onDrop={() => edit.discard(edit.conflict?.theirs ?? draft)}
        />
      ) : isDiff ? (
        <DiffView template={template} from={search.from ?? 'draft'} to={search.to ?? 'draft'} onChange={(next) => go(next)} onClose={() => go({ from: undefined, to: undefined })} />
      ) : (
        <>
          <section className="pane sources" aria-label={texts.template.parts.sources}>
            {template.locked && <p className="pane-note">{texts.template.lockedNote}</p>}
            {!mayWrite && <p className="pane-note">{texts.template.readOnly}</p>}
            {edit.problem && <ProblemBox problem={problemOf(edit.problem)} onPlace={(place) => goToPlace(place, tabs, go, setGoal)} />}
            <Tabs.Root className="tabs" value={tab} onValueChange={(value) => { setGoal(null); go({ tab: value as Tab }); }}>
              <Tabs.List className="tab-list" aria-label={texts.template.parts.sources}>
                {tabs.map((each) => (
                  <Tabs.Trigger key={each} value={each} className="tab">
                    {texts.template.tabs[each]}
                    {faults[each] ? <i className="mark bad" aria-label={shownFault(faults[each])} /> : (each === 'data' ? data.text : edit.source[each]).trim() !== '' && <i className="mark" />}
                  </Tabs.Trigger>
                ))}
              </Tabs.List>
              <Tabs.Content key={tab} value={tab} className="tab-body" tabIndex={-1}>
                {isData && <DatasetBar data={data} templateId={template.id} canWrite={mayWrite} onChoose={(dataset) => go({ dataset })} fault={faults.data} />}
                {tab === 'schema' && <SchemaBar templateId={template.id} hasDatasets={data.sets.length > 0} canEdit={canEdit} onInfer={(schema) => edit.change((before) => ({ ...before, schema }))} />}
                <Suspense fallback={<div className="editor" />}>
                  {isData && data.chosen === undefined ? null : (isData ? mayWrite : canEdit) ? (
                    <CodeEditor
                      name={isData ? `data ${data.chosen?.id}` : tab}
                      label={texts.template.tabs[tab]}
                      language={languageOf(tab)}
                      text={text}
                      remarks={remarks}
                      goal={goal}
                      onChange={(next) => (isData ? data.write(next) : edit.change((before) => ({ ...before, [tab]: next })))}
                      onRender={onSave}
                    />
                  ) : <CodeText label={texts.template.tabs[tab]} language={languageOf(tab)} text={text} />}
                </Suspense>
              </Tabs.Content>
            </Tabs.Root>
            {fault && (
              <p className="fault" role="alert">
                <button type="button" className="link" onClick={() => { go({ tab: fault.tab }); setGoal({ line: fault.line, column: fault.column }); }}>{shownFault(fault)}</button>
              </p>
            )}
          </section>
          <Splitter label={texts.play.resize.sources} value={widths.sources} onChange={(value) => resize({ sources: value })} />
          <PreviewPane template={template} source={edit.source} revision={draft.revision} data={data.parsed} dataName={data.chosen?.name ?? null} page={search.page ?? 1} zoom={search.zoom ?? 'width'} onPlace={onPlace} onProblemPlace={(place) => goToPlace(place, tabs, go, setGoal)} />
          <Splitter label={texts.play.resize.inspector} value={widths.inspector} isReversed onChange={(value) => resize({ inspector: value })} />
          <section className="pane inspector" aria-label={texts.template.parts.inspector}>
            <Tabs.Root className="tabs" value={panel} onValueChange={(value) => go({ panel: value as Panel })}>
              <Tabs.List className="tab-list" aria-label={texts.template.parts.inspector}>
                <Tabs.Trigger value="options" className="tab">{texts.template.panels.options}<Count value={countOf(optionsOf(edit.source))} /></Tabs.Trigger>
                <Tabs.Trigger value="versions" className="tab">{texts.template.panels.versions}<Count value={template.live_version?.number ?? 0} /></Tabs.Trigger>
              </Tabs.List>
              <Tabs.Content value="options" className="tab-body scroll" tabIndex={canEdit ? -1 : 0}>
                <OptionsPanel source={edit.source} canEdit={canEdit} onChange={edit.change} />
              </Tabs.Content>
              <Tabs.Content value="versions" className="tab-body scroll">
                <VersionsPanel template={template} onDiff={(from, to) => go({ from, to })} />
              </Tabs.Content>
            </Tabs.Root>
          </section>
        </>
      )}
      <PublishSheet dialog={sheet} template={template} revision={publishing} onClose={() => setPublishing(null)} />
    </div>
  );
}

function Count({ value }: { value: number }) {
  return value > 0 ? <span className="count">{value}</span> : null;
}

type Fault = { tab: Tab; line: number; column: number; message: string };

/** What is not JSON yet, tab by tab. */
function useFaults(scene: string, schema: string, data: string): { [_ in Tab]?: Fault } {
  return useMemo(() => {
    const found = ([['scene', scene], ['schema', schema], ['data', data]] as const).flatMap(([tab, text]) => {
      const parsed = parsedData(text);
      return 'fault' in parsed ? [[tab, { ...parsed.fault, tab }] as const] : [];
    });
    return Object.fromEntries(found);
  }, [scene, schema, data]);
}

function shownFault({ tab, line }: Fault): string {
  return texts.template.notJson(texts.template.tabs[tab], line);
}

function remarkOf({ line, column, message }: Fault): Remark {
  return { line, column, message, level: 'error' };
}

function languageOf(tab: Tab): Language {
  return tab === 'data' ? 'json' : LANGUAGE_OF[tab];
}

type Go = (next: { tab?: Tab; part?: 'sources' }) => void;

/** Go to the part of the source that a problem names. */
function goToPlace(place: { pointer: string } | { line: number; column: number }, tabs: Tab[], go: Go, setGoal: (goal: { line: number; column: number }) => void): void {
  const named = 'pointer' in place ? tabs.find((each) => place.pointer.includes(`/${each}`)) : tabs[0];
  if (!named) return;
  go({ tab: named, part: 'sources' });
  if ('line' in place) setGoal(place);
}
