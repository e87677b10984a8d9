import { useQuery } from '@tanstack/react-query';
import { Link, useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { canGroup, chosenLayers, grouped, type Order, ordered, pasted, removed, ungrouped } from './actions.ts';
import { apply, clipboardHandlers } from './clipboard.ts';
import { pathsInData, pathsInSchema } from './data.ts';
import { type Draft, datasetOf, type Template, useDraft } from './draft.ts';
import type { Snap } from './gestures.ts';
import { type Editing, useEditing } from './history.ts';
import { LayerList } from './layer-list.tsx';
import { keyAt, allLayers, readScene, type Scene } from './model.ts';
import { type Fault, Properties } from './properties.tsx';
import { ScenePreview } from './scene-preview.tsx';
import { SCENE_PARTS, SCENE_VIEWS, type SceneSearch } from './search.ts';
import { Surface, zoomed } from './surface.tsx';
import { addLayer, Toolbar } from './toolbar.tsx';

type Dataset = { id: string; name: string; is_default: boolean };
type Props = { template: Template; draft: Draft; datasets: readonly Dataset[]; saved: Scene; first: Scene; conflicting: Draft | null };

const STORED_SNAP = 'platen.snap';
const ADDRESS_PAUSE_MS = 250;
const SAVE_KEYS = navigator.platform.startsWith('Mac') ? '⌘S' : 'Ctrl S';

/** Draw a scene: layers at the left, the page in the middle, the fields of what is selected at the right. */
export function Editor({ template, draft: firstDraft, datasets, saved, first, conflicting }: Props) {
  const search = useSearch({ from: '/templates/$id/scene' });
  const go = useGo();
  const { can, isLive } = useRights();
  const isFixed = template.locked || !can('templates:write');
  const editing = useSelectionInAddress(useFixed(useEditing(first), isFixed), search.layer, go);
  const { scene } = editing;
  const saving = useDraft(template.id, firstDraft, saved, scene, conflicting);
  const [snap, setSnap] = useSnap();
  const [zoom, setZoom] = useState<number | 'fit'>('fit');
  const dataset = datasets.find(({ id }) => id === search.dataset) ?? datasets.find(({ is_default }) => is_default) ?? null;
  const { data, problem: dataProblem } = useData(template.id, dataset?.id ?? null);
  const paths = useMemo(() => [...new Set([...pathsInData(data).keys(), ...pathsInSchema(saving.draft.schema)])], [data, saving.draft.schema]);
  const faults = useFaults(saving.problem, saving.refused);
  const faulty = useMemo(() => new Set(faults.flatMap(({ key }) => (key === null ? [] : [key]))), [faults]);
  const view = search.view ?? 'design';
  const part = search.part ?? 'surface';
  const canSave = !isFixed && saving.isDirty && !saving.isPending;
  const save = useCallback(() => { if (canSave) saving.save(); }, [canSave, saving.save]);
  useSaveKeys(save);

  const open = (key: string, field?: string) => {
    editing.select([key]);
    go({ part: 'properties', view: undefined });
    requestAnimationFrame(() => focusField(field));
  };
  const openPointer = (pointer: string) => {
    const { key, field } = faultAt(pointer, saving.refused ?? scene);
    if (key === null) { editing.select([]); go({ part: 'properties', view: undefined }); requestAnimationFrame(() => focusField(field)); } else open(key, field);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => handleKeys(event, editing);
  const { name } = template;
  const { revision } = saving.draft;
  const request = useMemo(() => ({
    input: { type: 'template', template_id: template.id },
    version: 'draft',
    ...(data === null ? {} : { data }),
    output: { format: 'pdf' },
    reference: texts.scene.reference(name, revision),
  }), [template.id, name, revision, data]);

  return (
    <div className="scene-view" data-part={part} data-view={view} onKeyDown={onKeyDown} {...clipboardHandlers(editing, isFixed)}>
      <header className="topline">
        <Link to="/templates/$id" params={{ id: template.id }} className="back"><Icon name="back" />{texts.scene.back}</Link>
        <h1><bdi>{template.name}</bdi></h1>
        <span className={saving.isDirty ? 'scene-state dirty' : 'scene-state'} role="status">
          {saving.isPending ? texts.scene.saving : saving.isDirty ? texts.scene.unsaved : texts.scene.saved(saving.draft.revision)}
        </span>
        <span className="spacer" />
        <div className="segments" role="group" aria-label={texts.scene.view}>
          {SCENE_VIEWS.map((each) => <button key={each} type="button" aria-pressed={view === each} onClick={() => go({ view: each === 'design' ? undefined : each, part: undefined })}>{texts.scene.views[each]}</button>)}
        </div>
        <CopyAs programs={() => programsOf({ method: 'POST', path: '/renders', body: { ...request, delivery: { type: 'binary' } }, target: `${template.id}.pdf` })} />
        {!isFixed && <button type="button" className="button primary" disabled={!canSave} onClick={save} aria-keyshortcuts="Control+S Meta+S">{texts.scene.save}<kbd>{SAVE_KEYS}</kbd></button>}
      </header>
      <Toolbar editing={editing} isFixed={isFixed} snap={snap} onSnap={setSnap}>
        {datasets.length > 0 && (
          <label className="scene-data">
            <span>{texts.scene.data}</span>
            <select className="input" value={dataset?.id ?? ''} onChange={(event) => go({ dataset: event.target.value })}>
              {datasets.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
            </select>
          </label>
        )}
        {view === 'design' && (
          <div className="segments" role="group" aria-label={texts.pages.zoom}>
            <button type="button" aria-label={texts.scene.zoomOut} onClick={() => setZoom(zoomed(shownZoom(zoom, scene), 1 / 1.25))}>−</button>
            <button type="button" aria-pressed={zoom === 'fit'} onClick={() => setZoom('fit')}>{texts.scene.fit}</button>
            <button type="button" aria-pressed={zoom === 1} onClick={() => setZoom(1)}>{typeof zoom === 'number' && zoom !== 1 ? texts.scene.percent(zoom) : texts.pages.zooms.full}</button>
            <button type="button" aria-label={texts.scene.zoomIn} onClick={() => setZoom(zoomed(shownZoom(zoom, scene), 1.25))}>+</button>
          </div>
        )}
      </Toolbar>
      <div className="part-switch segments" role="group" aria-label={texts.scene.parts}>
        {SCENE_PARTS.map((each) => <button key={each} type="button" aria-pressed={part === each} onClick={() => go({ part: each, view: undefined })}>{texts.scene.partNames[each]}</button>)}
      </div>
      <Notes template={template} isFixed={isFixed} saving={saving} dataProblem={dataProblem} editing={editing} onPointer={openPointer} />
      <section className="pane scene-layers" aria-label={texts.scene.partNames.layers}>
        <h2>{texts.scene.partNames.layers}<span className="count">{allLayers(scene.layers).length}</span></h2>
        <LayerList editing={editing} faulty={faulty} isFixed={isFixed} />
      </section>
      <section className="pane scene-middle" aria-label={texts.scene.views[view]}>
        {view === 'preview'
          ? <ScenePreview request={request} isDirty={saving.isDirty} isLive={isLive} canRender={can('render:write')} onSave={isFixed ? null : save} onLayer={(indexes) => { const key = keyAt(scene, indexes); if (key !== null) open(key); }} />
          : (
            <Surface editing={editing} data={data} faulty={faulty} snap={snap} zoom={zoom} onZoom={setZoom} onOpen={open}>
              {scene.layers.length === 0 && !isFixed && (
                <div className="surface-empty"><p>{texts.scene.empty}</p><button type="button" className="button primary" onPointerDown={(event) => event.stopPropagation()} onClick={() => addLayer(editing, 'text')}>{texts.scene.addText}</button></div>
              )}
            </Surface>
          )}
      </section>
      <section className="pane scene-props" aria-label={texts.scene.partNames.properties}>
        <Properties editing={editing} data={data} paths={paths} faults={faults} isFixed={isFixed} />
      </section>
      <LeaveDialog isDirty={saving.isDirty} />
    </div>
  );
}

type NotesProps = { template: Template; isFixed: boolean; saving: ReturnType<typeof useDraft>; dataProblem: Problem | null; editing: Editing; onPointer: (pointer: string) => void };

/** What stands in the way of saving, and the ways out. */
function Notes({ template, isFixed, saving, dataProblem, editing, onPointer }: NotesProps) {
  const take = () => {
    const read = saving.theirs && readScene(saving.theirs.content.scene);
    if (!read || 'fault' in read) return;
    // Undo brings back the own scene.
    editing.change(() => read.scene, { selected: [] });
    saving.takeTheirs(read.scene);
  };
  return (
    <div className="scene-notes">
      {isFixed && <p className="pane-note">{template.locked ? texts.scene.locked : texts.key.noScope('templates:write')}</p>}
      {saving.isTooLarge && <p className="pane-note">{texts.scene.tooLarge}</p>}
      {dataProblem && <ProblemBox problem={dataProblem} />}
      {saving.theirs && (
        <section className="problem" role="alert">
          <h2>{texts.scene.conflict}</h2>
          <p>{texts.scene.conflictLead(saving.theirs.revision, saving.draft.revision)}</p>
          <p className="scene-ways">
            <button type="button" className="button" onClick={take}>{texts.scene.takeTheirs(saving.theirs.revision)}</button>
            <button type="button" className="button danger" disabled={saving.isPending} onClick={saving.keepMine}>{texts.scene.keepMine}</button>
          </p>
        </section>
      )}
      {saving.problem && <ProblemBox problem={saving.problem} onPlace={(place) => { if ('pointer' in place) onPointer(place.pointer); }} />}
    </div>
  );
}

/** Ask before a view with changes is left. */
function LeaveDialog({ isDirty }: { isDirty: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const isBlocked = blocker.status === 'blocked';
  useEffect(() => {
    if (isBlocked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isBlocked]);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="leave-title" onCancel={() => blocker.reset?.()}>
      <div className="dialog-body">
        <h2 id="leave-title">{texts.scene.leave}</h2>
        <p>{texts.scene.leaveLead}</p>
        <p className="dialog-foot">
          <button type="button" className="button" onClick={() => blocker.proceed?.()}>{texts.scene.leaveGo}</button>
          <button type="button" className="button primary" onClick={() => blocker.reset?.()}>{texts.scene.leaveStay}</button>
        </p>
      </div>
    </dialog>
  );
}

type Go = (next: { [_ in keyof SceneSearch]?: SceneSearch[_] | undefined }) => void;

function useGo(): Go {
  const navigate = useNavigate({ from: '/templates/$id/scene' });
  return useCallback((next) => {
    const search = (before: SceneSearch) => Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value !== undefined)) as SceneSearch;
    void navigate({ search, replace: true, resetScroll: false });
  }, [navigate]);
}

/** Editing without changes, if nothing may be changed. */
function useFixed(editing: Editing, isFixed: boolean): Editing {
  return isFixed ? { ...editing, change: () => undefined } : editing;
}

/** The address names the selected layer; at first it selects it. */
function useSelectionInAddress(editing: Editing, given: string | undefined, go: Go): Editing {
  const { scene, selected, select } = editing;
  useEffect(() => {
    const key = given === undefined ? null : keyAt(scene, given.split('-').map(Number));
    if (key !== null) select([key]);
    // Afterwards the address follows the selection.
  }, []);
  const shown = selected.length === 1 ? allLayers(scene.layers).find(({ layer }) => layer.key === selected[0])?.indexes.join('-') : undefined;
  useEffect(() => {
    if (shown === given) return undefined;
    const timer = setTimeout(() => go({ layer: shown }), ADDRESS_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [shown, given, go]);
  return editing;
}

function useSnap(): [Snap, (snap: Snap) => void] {
  const [snap, setSnap] = useState<Snap>(() => ({ edges: true, grid: null, ...(JSON.parse(sessionStorage.getItem(STORED_SNAP) ?? '{}') as Partial<Snap>) }));
  return [snap, (next) => { setSnap(next); sessionStorage.setItem(STORED_SNAP, JSON.stringify(next)); }];
}

/** The data of a dataset; null while they are not there. */
function useData(id: string, ds: string | null): { data: Record<string, unknown> | null; problem: Problem | null } {
  const { key } = useKey();
  const query = useQuery({ ...datasetOf(key ?? '', id, ds ?? ''), enabled: ds !== null });
  const data = ds === null ? null : ((query.data?.data as Record<string, unknown> | undefined) ?? null);
  return { data, problem: query.error ? problemOf(query.error) : null };
}

const POINTER = /^(?:\/content)?\/scene((?:\/layers\/\d+)*)(?:\/([^/]+))?/;

/** The layer and the field that a pointer into the request means; without a layer it is the page. */
function faultAt(pointer: string, scene: Scene): { key: string | null; field: string } {
  const [, line = '', field = ''] = POINTER.exec(pointer) ?? [];
  const indexes = [...line.matchAll(/\d+/g)].map(([index]) => Number(index));
  return { key: indexes.length === 0 ? null : keyAt(scene, indexes), field };
}

function useFaults(problem: Problem | null, refused: Scene | null): readonly Fault[] {
  return useMemo(() => {
    if (!refused) return [];
    return (problem?.errors ?? []).map(({ path, message }) => ({ ...faultAt(path, refused), message }));
  }, [problem, refused]);
}

/** Ctrl or ⌘ and S saves, wherever the focus is. */
function useSaveKeys(save: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      save();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [save]);
}

const BRACKETS: Record<string, Order> = { ']': 'forward', '[': 'backward', '}': 'front', '{': 'back' };

/** Keys that work in the whole view, but in fields. */
function handleKeys(event: KeyboardEvent<HTMLElement>, editing: Editing): void {
  if ((event.target as Element).closest('input, textarea, select, dialog, [role=menu]')) return;
  const { scene, selected } = editing;
  const isCommand = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  const order = BRACKETS[event.key];
  const above = selected.at(-1) ?? null;
  let isTaken = true;
  if (isCommand && key === 'z') (event.shiftKey ? editing.redo : editing.undo)();
  else if (isCommand && key === 'y') editing.redo();
  else if (isCommand && key === 'a') editing.select(scene.layers.map((layer) => layer.key));
  else if (isCommand && key === 'd') apply(editing, pasted(scene, chosenLayers(scene, selected), above));
  else if (isCommand && key === 'g' && event.shiftKey) apply(editing, ungrouped(scene, selected));
  else if (isCommand && key === 'g') { if (canGroup(scene, selected)) apply(editing, grouped(scene, selected)); }
  else if (isCommand && order) editing.change((before) => ordered(before, selected, order));
  else if ((key === 'delete' || key === 'backspace') && selected.length > 0) apply(editing, removed(scene, selected));
  else isTaken = false;
  if (isTaken) event.preventDefault();
}

/** Where zooming begins that is not by the wheel: the zoom that the page is shown at. */
function shownZoom(zoom: number | 'fit', scene: Scene): number {
  if (zoom !== 'fit') return zoom;
  const page = document.querySelector('.surface-page');
  return page ? page.getBoundingClientRect().width / scene.width : 1;
}

/** Focus a field of the selected layer, or what it shows. */
function focusField(field: string | undefined): void {
  const props = document.querySelector('.scene-props');
  const target = field ? props?.querySelector(`[data-field="${CSS.escape(field)}"]`) : props?.querySelector('.props-part .prop');
  target?.scrollIntoView({ block: 'nearest' });
  target?.querySelector<HTMLElement>('textarea, input:not([type=color]), select')?.focus();
}
