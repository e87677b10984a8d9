import './invoices.css';
import './make.css';
import * as Menu from '@radix-ui/react-dropdown-menu';
import * as Tabs from '@radix-ui/react-tabs';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { invoices as examples } from 'virtual:invoice-examples';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useTitle } from '../ui/title.ts';
import {
  BLANK, type InvoiceDraft, isEmpty, OUTPUTS, outputsOf, PROFILES, pdfRequest, playgroundDraft, type Profile, syntaxesOf, useInvoiceDraft, withTarget,
  withValue, xmlRequest,
} from './draft.ts';
import { InvoiceForm } from './form.tsx';
import { goToField } from './form-context.ts';
import type { Json } from './invoice-field.ts';
import { pathOfPointer } from './fields.ts';
import { Modes } from './modes.tsx';
import { type Preflight, usePreflight } from './preflight.ts';
import { checkDocument } from './received.ts';
import { type MadeFile, type Result, useResult } from './result.ts';
import { MAKE_PARTS, type MakePanel, type MakeSearch, PANELS } from './search.ts';
import { Faults, TotalsTable, Verdicts } from './summary.tsx';
import { readable } from './xml-outline.ts';

const XmlView = lazy(() => import('./xml-view.tsx'));
const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));

const PLAYGROUND_DRAFT = 'platen.draft';
const COPIED_TARGETS = { pdf: 'invoice.pdf', xml: 'invoice.xml' };

/** Write an invoice in a form at the left; its totals, rules and files are at the right. */
export function MakeView() {
  const search = useSearch({ from: '/invoices/new' });
  const navigate = useNavigate({ from: '/invoices/new' });
  const { isLive, can } = useRights();
  const [draft, change] = useInvoiceDraft();
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [isAsked, setAsked] = useState(false);
  const canRender = can('render:write');
  const isBlank = isEmpty(draft);
  const { preflight, isPending } = usePreflight(draft, canRender && !isBlank);
  const isReady = !isBlank && !isPending && preflight.problem === null && preflight.faults.length === 0;
  const { result, request, make } = useResult(draft, isReady && !isLive);
  useTitle(texts.invoices.make.title);

  const go = useCallback((next: { [_ in keyof MakeSearch]?: MakeSearch[_] | undefined }) => {
    void navigate({ search: (before) => defined({ ...before, ...next }), replace: true, resetScroll: false });
  }, [navigate]);
  const begin = useCallback((next: InvoiceDraft) => {
    change(() => next);
    setVisited(new Set());
    setAsked(false);
  }, [change]);

  // An address that names an example begins with it; then the name leaves the address.
  useEffect(() => {
    const example = examples.find(({ name }) => name === search.example);
    if (!example) return;
    begin(withTarget({ ...BLANK, invoice: example.invoice }, { profile: example.profile as Profile }));
    go({ example: undefined });
  }, [search.example, begin, go]);

  const onChange = useCallback((path: string, value: Json | undefined) => {
    change((before) => ({ ...before, invoice: withValue(before.invoice, path, value) }));
  }, [change]);
  const onVisit = useCallback((path: string) => setVisited((before) => (before.has(path) ? before : new Set(before).add(path))), []);
  const isCurrent = result.request === request;
  const refused = isCurrent ? result.faults : [];
  const faults = useMemo(() => [...preflight.faults, ...refused], [preflight.faults, refused]);
  const part = search.part ?? 'form';
  const onMake = () => {
    setAsked(true);
    if (isReady) { make(); return; }
    go({ panel: 'summary' });
    const first = preflight.faults.find(({ path }) => path !== '');
    if (first) requestAnimationFrame(() => goToField(first.path));
  };
  if (!canRender) return <p className="pane-note">{texts.key.noScope('render:write')}</p>;
  return (
    <div className="make-view" data-part={part}>
      <header className="topline">
        <h1>{texts.invoices.title}</h1>
        <Modes />
        <Beginnings onBlank={() => begin(BLANK)} onExample={(name) => go({ example: name })} />
        <span className="spacer" />
        <output className="timing" aria-live="polite">{result.isPending ? texts.invoices.make.making : isPending ? texts.invoices.make.computing : ''}</output>
        <ToPlayground draft={draft} />
        <CopyAs programs={() => programs(draft)} />
        <button type="button" className={isLive ? 'button primary live' : 'button primary'} disabled={result.isPending || isPending || isBlank} onClick={onMake}>
          {isLive ? texts.invoices.make.makeLive : texts.invoices.make.make}
        </button>
      </header>
      <div className="part-switch segments make-switch" role="group" aria-label={texts.invoices.make.title}>
        {MAKE_PARTS.map((each) => <button key={each} type="button" aria-pressed={part === each} onClick={() => go({ part: each })}>{texts.invoices.make[each]}</button>)}
      </div>
      <Target draft={draft} onChange={(target) => change((before) => withTarget(before, target))} />
      <InvoiceForm invoice={draft.invoice} faults={faults} visited={visited} isAsked={isAsked} onChange={onChange} onVisit={onVisit} />
      <section className="make-result" aria-label={texts.invoices.make.result}>
        <ResultPane draft={draft} preflight={preflight} isPending={isPending} isReady={isReady} result={result} isCurrent={isCurrent} search={search} go={go} />
      </section>
    </div>
  );
}

/** Profile, syntax and file. */
function Target({ draft, onChange }: { draft: InvoiceDraft; onChange: (target: Partial<InvoiceDraft>) => void }) {
  const words = texts.invoices.make;
  const syntaxes = syntaxesOf(draft.profile, draft.output);
  const outputs = outputsOf(draft.profile);
  return (
    <div className="make-target">
      <label htmlFor="profile">{words.profile}</label>
      <select id="profile" className="input" value={draft.profile} onChange={(event) => onChange({ profile: event.target.value as Profile })}>
        {PROFILES.map((each) => <option key={each} value={each}>{texts.invoices.profiles[each]}</option>)}
      </select>
      <div className="segments" role="group" aria-label={words.output}>
        {OUTPUTS.map((each) => (
          <button key={each} type="button" aria-pressed={draft.output === each} disabled={!outputs.includes(each)} title={outputs.includes(each) ? undefined : words.noPdf(texts.invoices.profiles[draft.profile])} onClick={() => onChange({ output: each })}>{words.outputs[each]}</button>
        ))}
      </div>
      {draft.output === 'xml' && (
        <div className="segments" role="group" aria-label={words.syntax}>
          {syntaxes.map((each) => <button key={each} type="button" aria-pressed={draft.syntax === each} onClick={() => onChange({ syntax: each })}>{texts.invoices.syntaxes[each]}</button>)}
        </div>
      )}
    </div>
  );
}

type PaneProps = {
  draft: InvoiceDraft;
  preflight: Preflight;
  isPending: boolean;
  isReady: boolean;
  result: Result;
  isCurrent: boolean;
  search: MakeSearch;
  go: (next: { [_ in keyof MakeSearch]?: MakeSearch[_] | undefined }) => void;
};

function ResultPane({ draft, preflight, isReady, result, isCurrent, search, go }: PaneProps) {
  const { isLive } = useRights();
  const words = texts.invoices.make;
  const panel = search.panel ?? 'summary';
  const toForm = () => go({ part: 'form' });
  const isShown = draft.output === 'pdf' ? result.pdf !== null : result.xml !== null && result.pdf === null;
  const isStale = isShown && !isCurrent;
  const main = draft.output === 'pdf' ? result.pdf : result.xml;
  return (
    <Tabs.Root className="tabs" value={panel} onValueChange={(value) => go({ panel: value as MakePanel })}>
      <Tabs.List className="tab-list" aria-label={words.result}>
        {PANELS.map((each) => <Tabs.Trigger key={each} value={each} className="tab">{words.panels[each]}</Tabs.Trigger>)}
      </Tabs.List>
      {isStale && panel === 'xml' && <p className="tab-hint" role="status">{words.stale}</p>}
      <Tabs.Content value="summary" className="tab-body scroll summary" tabIndex={-1}>
        {preflight.problem && <ProblemBox problem={preflight.problem} onPlace={(place) => { if ('pointer' in place) goToField(pathOfPointer(place.pointer).replace(/^invoice\./, '')); }} />}
        {isEmpty(draft) ? <Start go={go} /> : (
          <>
            {preflight.faults.length > 0 && (
              <div className="block">
                <h2 className="faults-title">{words.toDo(preflight.faults.length)}</h2>
                <Faults faults={preflight.faults} onGo={toForm} />
              </div>
            )}
            {isReady && <p className="rules-kept"><b>{words.ok(texts.invoices.profiles[draft.profile])}</b> {!result.conformance && words.okLead}</p>}
            {isCurrent && result.problem && preflight.faults.length === 0 && (result.faults.length > 0
              ? <div className="block"><h2 className="faults-title">{result.problem.title}</h2><Faults faults={result.faults} onGo={toForm} /></div>
              : <ProblemBox problem={result.problem} />)}
            {isCurrent && result.conformance && <Verdicts conformance={result.conformance} />}
            {preflight.totals ? <TotalsTable totals={preflight.totals} currency={String(draft.invoice.currency ?? '')} /> : <p className="quiet">{words.noTotals}</p>}
            {isCurrent && isShown && main && <Files main={main} result={result} />}
            {isLive && isReady && !isCurrent && <p className="live-note">{words.live}</p>}
            {draft.output === 'pdf' && result.pdf && (
              <div className="made-document">
                {isStale && <p className="quiet" role="status">{words.stale}</p>}
                <Suspense fallback={<div className="pdf" />}>
                  <PdfView bytes={result.pdf.bytes} page={search.page ?? 1} zoom={search.zoom ?? 'width'} onChange={go} />
                </Suspense>
              </div>
            )}
          </>
        )}
      </Tabs.Content>
      <Tabs.Content value="xml" className="tab-body" tabIndex={-1}>
        {result.xml ? <MadeXml file={result.xml} /> : <div className="pane-empty"><p>{isLive ? words.live : words.noDocument}</p></div>}
      </Tabs.Content>
    </Tabs.Root>
  );
}

const NO_MARKS: never[] = [];

function MadeXml({ file }: { file: MadeFile }) {
  const text = useMemo(() => readable(new TextDecoder().decode(file.bytes)), [file]);
  return (
    <Suspense fallback={<div className="editor" />}>
      <XmlView label={texts.invoices.make.panels.xml} text={text} marks={NO_MARKS} goal={null} onPlace={() => undefined} />
    </Suspense>
  );
}

/** What can be done with the files. */
function Files({ main, result }: { main: MadeFile; result: Result }) {
  const navigate = useNavigate();
  const { can } = useRights();
  const check = () => {
    void checkDocument(main.name, main.bytes);
    void navigate({ to: '/invoices' });
  };
  const others = [main, ...(result.xml && result.xml !== main ? [result.xml] : [])];
  return (
    <div className="made-files">
      {others.map((file) => <Download key={file.name} file={file} />)}
      <button type="button" className="link" onClick={check}>{texts.invoices.make.check}</button>
      {result.isKept && result.render && can('renders:read') && <Link to="/renders/$id" params={{ id: result.render.id }}>{texts.play.rendered}</Link>}
    </div>
  );
}

function Download({ file }: { file: MadeFile }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([file.bytes as BlobPart], { type: file.type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return <a className="button" href={url} download={file.name}>{texts.invoices.make.download} <span className="file-name">{file.name}</span></a>;
}

/** An empty invoice: with what one can begin. */
function Start({ go }: { go: PaneProps['go'] }) {
  const [first] = examples;
  return (
    <div className="empty">
      <h2>{texts.invoices.make.startTitle}</h2>
      <p>{texts.invoices.make.startLead}</p>
      {first && <button type="button" className="button primary" onClick={() => go({ example: first.name })}>{texts.invoices.make.startExample}</button>}
    </div>
  );
}

function Beginnings({ onBlank, onExample }: { onBlank: () => void; onExample: (name: string) => void }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button quiet-button">{texts.invoices.make.begin}<Icon name="down" /></Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="start" sideOffset={4}>
          {examples.map(({ name, title }) => <Menu.Item key={name} className="menu-item" onSelect={() => onExample(name)}>{title}</Menu.Item>)}
          <Menu.Separator className="menu-line" />
          <Menu.Item className="menu-item" onSelect={onBlank}>{texts.invoices.make.blank}</Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The same document in the playground. What is written there is replaced only after a question. */
function ToPlayground({ draft }: { draft: InvoiceDraft }) {
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const words = texts.invoices.make;
  if (!outputsOf(draft.profile).includes('pdf')) return null;
  const open = () => {
    sessionStorage.setItem(PLAYGROUND_DRAFT, JSON.stringify(playgroundDraft(draft)));
    void navigate({ to: '/playground' });
  };
  return (
    <>
      <button type="button" className="button" onClick={() => (sessionStorage.getItem(PLAYGROUND_DRAFT) === null ? open() : dialog.current?.showModal())}>{words.playground}</button>
      <dialog ref={dialog} className="dialog" aria-labelledby="replace-title">
        <div className="dialog-body">
          <h2 id="replace-title">{words.replaceTitle}</h2>
          <p>{words.replaceLead}</p>
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>{words.keep}</button>
            <button type="button" className="button primary" onClick={open}>{words.replace}</button>
          </p>
        </div>
      </dialog>
    </>
  );
}

function programs(draft: InvoiceDraft) {
  const delivery = { type: 'binary' };
  return draft.output === 'pdf'
    ? programsOf({ method: 'POST', path: '/renders', body: { ...pdfRequest(draft, ['pdf']), delivery }, target: COPIED_TARGETS.pdf })
    : programsOf({ method: 'POST', path: '/einvoices', body: { ...xmlRequest(draft), delivery }, target: COPIED_TARGETS.xml });
}

function defined(search: { [_ in keyof MakeSearch]?: MakeSearch[_] | undefined }): MakeSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as MakeSearch;
}
