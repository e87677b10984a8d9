import './invoices.css';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { received as exampleXml } from 'virtual:invoice-examples';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { useRights } from '../api/account.ts';
import type { Box, OpenedPdf } from '../pdf/document.ts';
import { findValue } from '../pdf/find-text.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { useTitle } from '../ui/title.ts';
import { DropArea } from './drop-area.tsx';
import { innerPath } from './fields.ts';
import { validationPrograms } from './file-programs.ts';
import { findingsOf, pathOfFinding, type ShownFinding, sheetsOf, textAt, verdictOf } from './findings.ts';
import { FindingsList } from './findings-list.tsx';
import { InvoicePage } from './invoice-page.tsx';
import { Modes } from './modes.tsx';
import { placesOf, printedTotals } from './places.ts';
import { checkAgain, checkDocument, type Conformance, forgetReceived, type Received, useReceived } from './received.ts';
import { CHECK_PARTS, type CheckSearch, LOOKS } from './search.ts';
import { printedForms } from './shown.ts';
import { VerdictMark } from './verdict-mark.tsx';
import { nodeAround, outline, readable, type XmlNode } from './xml-outline.ts';

const XmlView = lazy(() => import('./xml-view.tsx'));
const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));

// A larger text makes the editor slow.
const MAX_SHOWN = 5_000_000;

/** Check a received e-invoice: the verdict, the findings, the invoice as a page, and its XML. */
export function CheckView() {
  const { can } = useRights();
  const received = useReceived();
  useTitle(texts.invoices.title);
  const onFile = useCallback((name: string, bytes: Uint8Array) => void checkDocument(name, bytes), []);

  if (!can('render:write')) return <p className="pane-note">{texts.key.noScope('render:write')}</p>;
  return (
    <DropArea onFile={onFile}>
      {(choose) => (
        <div className="check-view">
          <header className="topline">
            <h1>{texts.invoices.title}</h1>
            <Modes />
            <span className="spacer" />
            {received && <CopyAs programs={() => validationPrograms(received.isPdf ? texts.invoices.copyOfPdf : texts.invoices.copyOfFile, received.isPdf)} />}
            {received && <button type="button" className="button" onClick={choose}>{texts.invoices.another}</button>}
            {received && <button type="button" className="button" onClick={forgetReceived}>{texts.invoices.close}</button>}
          </header>
          {received ? <Checked received={received} /> : <Empty choose={choose} onFile={onFile} />}
        </div>
      )}
    </DropArea>
  );
}

function Empty({ choose, onFile }: { choose: () => void; onFile: (name: string, bytes: Uint8Array) => void }) {
  return (
    <div className="drop-here">
      <div className="empty">
        <h2>{texts.invoices.drop}</h2>
        <p>{texts.invoices.dropLead}</p>
        <button type="button" className="button primary" onClick={choose}>{texts.invoices.choose}</button>
        <button type="button" className="link" onClick={() => onFile(texts.invoices.exampleName, new TextEncoder().encode(exampleXml))}>{texts.invoices.example}</button>
      </div>
    </div>
  );
}

type Place = { path: string; node: XmlNode | null };
const NOWHERE: Place = { path: '', node: null };

function Checked({ received }: { received: Received }) {
  const search = useSearch({ from: '/invoices' });
  const navigate = useNavigate({ from: '/invoices' });
  const { conformance, invoice, isPdf } = received;
  const [place, setPlace] = useState(NOWHERE);

  const text = useMemo(() => (received.xml === null || received.xml.length > MAX_SHOWN ? null : readable(received.xml)), [received.xml]);
  const root = useMemo(() => (text === null ? null : outline(text)), [text]);
  const places = useMemo(() => placesOf(root, invoice), [root, invoice]);
  const totals = useMemo(() => printedTotals(root), [root]);
  const findings = useMemo(() => (conformance ? findingsOf(conformance, root) : []), [conformance, root]);
  const marks = useMemo(() => findings.flatMap(({ node, level }) => (node ? [{ ...tagOf(node), level }] : [])), [findings]);
  const goal = useMemo(() => (place.node ? tagOf(place.node) : null), [place]);

  const go = useCallback((next: { [_ in keyof CheckSearch]?: CheckSearch[_] | undefined }) => {
    void navigate({ search: (before) => defined({ ...before, ...next }), replace: true, resetScroll: false });
  }, [navigate]);
  const selectFinding = useCallback((finding: ShownFinding) => {
    const path = pathOfFinding(finding, places);
    setPlace({ path, node: finding.node ?? places.nodes.get(`invoice.${path}`) ?? null });
    go({ finding: finding.number });
  }, [places, go]);
  const selectPath = useCallback((path: string) => {
    const finding = findings.find((each) => pathOfFinding(each, places) === path);
    setPlace({ path, node: places.nodes.get(`invoice.${path}`) ?? finding?.node ?? null });
    go({ finding: finding?.number });
  }, [findings, places, go]);
  const selectNode = useCallback((node: XmlNode) => {
    const finding = findings.find((each) => each.node === node);
    setPlace({ path: innerPath(places.paths.get(node) ?? '') || (finding ? pathOfFinding(finding, places) : ''), node });
    go({ finding: finding?.number });
  }, [findings, places, go]);
  const onOffset = useCallback((offset: number) => {
    const node = root && nodeAround(root, offset);
    if (node) selectNode(node);
  }, [root, selectNode]);

  // An address that names a finding leads to it, once there are findings; another document has others.
  const named = search.finding === undefined ? undefined : findings[search.finding - 1];
  useEffect(() => {
    if (named) selectFinding(named);
    else setPlace(NOWHERE);
  }, [findings]);

  const part = search.part ?? 'findings';
  const look = isPdf ? (search.look ?? (invoice ? 'content' : 'pdf')) : 'content';
  const printed = place.node && place.node.children.length === 0 ? place.node.text : null;
  const wanted = useMemo(() => {
    const value = textAt(invoice, place.path) ?? printed;
    return value === null || value === '' ? undefined : printedForms(value);
  }, [invoice, place.path, printed]);

  const [pdf, setPdf] = useState<OpenedPdf | null>(null);
  const frames = useFrames(pdf, wanted);

  return (
    <>
      <Verdict received={received} conformance={conformance} />
      {received.problem && <ProblemBox problem={received.problem}><button type="button" className="link" onClick={checkAgain}>{texts.invoices.again}</button></ProblemBox>}
      <div className="part-switch segments check-switch" role="group" aria-label={texts.invoices.title}>
        {CHECK_PARTS.map((each) => (
          <button key={each} type="button" aria-pressed={part === each} onClick={() => go({ part: each })}>{texts.invoices.parts[each]}</button>
        ))}
      </div>
      <div className="check-body" data-part={part}>
        <section className="check-findings" aria-label={texts.invoices.parts.findings} tabIndex={-1}>
          {conformance ? <FindingsList findings={findings} selected={search.finding ?? null} onSelect={selectFinding} /> : <p className="finding-none">{received.isPending ? texts.invoices.noFindingsYet : ''}</p>}
        </section>
        <section className="check-page" aria-label={texts.invoices.parts.page}>
          {isPdf && (
            <div className="segments look-switch" role="group" aria-label={texts.invoices.parts.page}>
              {LOOKS.map((each) => <button key={each} type="button" aria-pressed={look === each} onClick={() => go({ look: each })}>{texts.invoices.looks[each]}</button>)}
            </div>
          )}
          {look === 'pdf' ? (
            <Suspense fallback={<div className="pdf" />}>
              <PdfView bytes={received.bytes} page={search.page ?? 1} zoom={search.zoom ?? 'width'} onChange={go} onOpen={setPdf} marks={frames} />
            </Suspense>
          ) : (
            <div className="paper-scroll" tabIndex={0} role="region" aria-label={texts.invoices.page.label}>
              {invoice
                ? <InvoicePage invoice={invoice} totals={totals} findings={findings} selected={place} onPath={selectPath} onNode={selectNode} />
                : <div className="pane-empty"><p>{conformance ? texts.invoices.noContent : ''}</p></div>}
            </div>
          )}
        </section>
        <section className="check-xml" aria-label={texts.invoices.parts.xml}>
          {text !== null && text !== received.xml && <p className="tab-hint">{texts.invoices.formatted}</p>}
          {text === null ? (
            <div className="pane-empty"><p>{received.isPending ? '' : noXml(received)}</p></div>
          ) : (
            <Suspense fallback={<div className="editor" />}>
              <XmlView label={texts.invoices.parts.xml} text={text} marks={marks} goal={goal} onPlace={onOffset} />
            </Suspense>
          )}
        </section>
      </div>
    </>
  );
}

/** What the document is, in one sentence, and the sheets of rules that say so. */
function Verdict({ received, conformance }: { received: Received; conformance: Conformance | null }) {
  if (!conformance) {
    return <div className="verdict" role="status">{received.isPending && <p className="verdict-pending">{texts.invoices.checking(received.name)}</p>}</div>;
  }
  const { status, sentence } = verdictOf(conformance);
  return (
    <div className={`verdict ${status}`} role="status">
      <VerdictMark status={status} />
      <p className="verdict-sentence">{sentence}</p>
      <span className="verdict-name">{received.name}</span>
      <ul className="sheet-chips" aria-label={texts.invoices.sheets}>
        {sheetsOf(conformance).map((sheet) => (
          <li key={sheet.name} className={sheet.status}><VerdictMark status={sheet.status} />{sheet.name} <b>{texts.invoices.chip[sheet.status]}</b></li>
        ))}
      </ul>
      {status === 'unavailable' && <button type="button" className="link" onClick={checkAgain}>{texts.invoices.again}</button>}
    </div>
  );
}

function noXml(received: Received): string {
  if (received.xml !== null) return texts.invoices.xmlTooLarge;
  return received.isPdf ? texts.invoices.noXmlInPdf : texts.invoices.noXml;
}

/** An element without elements, or the name of another one. */
function tagOf({ from, to, nameTo, children }: XmlNode): { from: number; to: number } {
  return { from, to: children.length > 0 ? nameTo : to };
}

function defined(search: { [_ in keyof CheckSearch]?: CheckSearch[_] | undefined }): CheckSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as CheckSearch;
}

/** Where a value is printed; the last place stays while the next one is looked for. */
function useFrames(pdf: OpenedPdf | null, wanted: readonly string[] | undefined): readonly Box[] {
  const [frames, setFrames] = useState<readonly Box[]>([]);
  useEffect(() => {
    let isCurrent = true;
    if (!pdf || !wanted) { setFrames([]); return undefined; }
    findValue(pdf, wanted).then((box) => isCurrent && setFrames(box ? [box] : []), () => undefined);
    return () => { isCurrent = false; };
  }, [pdf, wanted]);
  return frames;
}
