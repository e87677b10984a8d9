import './batches.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { upload } from '../api/upload.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { useDrop } from '../ui/drop.ts';
import { shownBytes, shownNumber } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { useTitle } from '../ui/title.ts';
import { Columns } from './columns.tsx';
import { FirstItem } from './first-item.tsx';
import { OptionFields } from './option-fields.tsx';
import { batchRequest, idempotencyKey, moreOf, type Options, USUAL } from './request.ts';
import { countOf, dataOfRow, itemsOf, NAME_COLUMNS, type Paths, readSource, type Source, SourceFault } from './source.ts';
import { TemplateChoice } from './template-choice.tsx';
import { likelyPath, pathsOf } from './template-queries.ts';

const LOOKED_AT = 20;
const UPLOAD = 'upl_…';

/** A new batch: a template, a file of items, what each column fills, and the options. */
export function NewBatch() {
  const { template } = useSearch({ from: '/batches/new' });
  const navigate = useNavigate();
  const { key } = useKey();
  const { can, isLive } = useRights();
  const [source, setSource] = useState<Source | null>(null);
  const [typed, setTyped] = useState<Paths>({});
  const [options, setOptions] = useState<Options>(USUAL);
  const [at, setAt] = useState(0);
  useTitle(texts.newBatch.title);

  const known = useQuery({ ...pathsOf(key ?? '', template ?? ''), enabled: template !== undefined && can('templates:read') }).data ?? [];
  const columns = source?.kind === 'csv' ? source.columns : [];
  const paths = Object.fromEntries(columns.filter((column) => !NAME_COLUMNS.has(column)).map((column) => [column, Object.hasOwn(typed, column) ? (typed[column] ?? '') : likelyPath(column, known)]));
  const take = (next: Source | null) => { setSource(next); setTyped({}); setAt(0); };
  const start = useStart((id) => void navigate({ to: '/batches/$id', params: { id } }));

  if (!can('render:write')) return <p className="pane-note">{texts.key.noScope('render:write')}</p>;
  const count = source ? countOf(source) : 0;
  const isReady = template !== undefined && source !== null && moreOf(options.more) !== null;
  const request = (uploadId: string) => batchRequest(template ?? '', source as Source, paths, options, uploadId);
  const data = source && itemData(source, at, paths);
  return (
    <div className="new-batch">
      <header className="topline">
        {can('renders:read') && <Link to="/batches" className="back"><Icon name="back" />{texts.batches.title}</Link>}
        <h1>{texts.newBatch.title}</h1>
        <span className="spacer" />
        {isReady && <CopyAs programs={() => programsOf({ method: 'POST', path: '/batches', body: request(UPLOAD) })} />}
        <button type="button" className={isLive ? 'button primary live' : 'button primary'} disabled={!isReady || start.isPending} onClick={() => start.send(source as Source, request)}>
          {start.isPending ? texts.newBatch.starting : count === 0 ? texts.newBatch.start : isLive ? texts.newBatch.startLive(count, shownNumber(count)) : texts.newBatch.startOf(count, shownNumber(count))}
        </button>
      </header>
      <div className="new-batch-body">
        <div className="new-batch-form">
          {start.problem && <ProblemBox problem={start.problem} />}
          <Step title={texts.newBatch.template}>
            <TemplateChoice id={template} onChange={(id) => void navigate({ to: '/batches/new', search: id ? { template: id } : {}, replace: true })} />
          </Step>
          <Step title={texts.newBatch.items}>
            <Drop source={source} onTake={take} />
            {source?.kind === 'json' && (
              <div className="segments" role="group" aria-label={texts.newBatch.entryIs}>
                <button type="button" aria-pressed={!source.isItems} onClick={() => setSource({ ...source, isItems: false })}>{texts.newBatch.entryData}</button>
                <button type="button" aria-pressed={source.isItems} onClick={() => setSource({ ...source, isItems: true })}>{texts.newBatch.entryItem}</button>
              </div>
            )}
            {source?.kind === 'csv' && source.uneven > 0 && <p className="warn-note">{texts.newBatch.uneven(source.uneven, shownNumber(source.uneven))}</p>}
          </Step>
          {source?.kind === 'csv' && <Step title={texts.newBatch.columns}><Columns source={source} paths={paths} known={known} onChange={setTyped} /></Step>}
          <Step title={texts.newBatch.options}><OptionFields template={template} options={options} onChange={setOptions} /></Step>
        </div>
        {template !== undefined && data !== null ? (
          <FirstItem template={template} version={options.version} data={data} at={at} count={Math.min(count, LOOKED_AT)} onMove={setAt} />
        ) : (
          <div className="first-item pane-empty"><p>{texts.newBatch.previewHint}</p></div>
        )}
      </div>
    </div>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return <section className="step"><h2>{title}</h2>{children}</section>;
}

function itemData(source: Source, at: number, paths: Paths): object {
  if (source.kind === 'csv') return dataOfRow(source.columns, source.rows[at] ?? [], paths);
  return itemsOf(source)[at]?.data ?? {};
}

/** A place for the file: dropped on it, or chosen. */
function Drop({ source, onTake }: { source: Source | null; onTake: (source: Source | null) => void }) {
  const [fault, setFault] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);
  const newest = useRef(0);
  const read = async (file: File | undefined) => {
    if (!file) return;
    const number = ++newest.current;
    setFault(null);
    setReading(true);
    const result = await readSource(file).catch((error: unknown) => {
      if (error instanceof SourceFault) return error;
      throw error;
    });
    // Another file was dropped meanwhile.
    if (number !== newest.current) return;
    setReading(false);
    setFault(result instanceof SourceFault ? result.message : null);
    onTake(result instanceof SourceFault ? null : result);
  };
  const { isOver, handlers } = useDrop(([file]) => void read(file));
  const words = isReading ? texts.newBatch.reading : source ? texts.newBatch.holds(countOf(source), shownNumber(countOf(source)), shownBytes(source.file.size)) : texts.newBatch.dropHint;
  return (
    <>
      <label className={isOver ? 'drop over' : 'drop'} {...handlers}>
        <input type="file" accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json" onChange={(event) => { void read(event.target.files?.[0]); event.target.value = ''; }} />
        <b>{source ? source.file.name : texts.newBatch.drop}</b>
        <span className="quiet">{words}</span>
      </label>
      {fault && <p className="fault-note" role="alert">{fault}</p>}
    </>
  );
}

/** A file whose name ends in another way may hold columns too. */
function asCsv(file: File): File {
  return new File([file], file.name, { type: 'text/csv' });
}

/** Send a batch once: a repeated press, or a repetition after a failure, has the same key and the same upload. */
function useStart(onStarted: (id: string) => void) {
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isBusy = useRef(false);
  const sent = useRef({ json: '', key: '' });
  const uploaded = useRef<{ file: File; id: string } | null>(null);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => { isGone.current = true; };
  }, []);

  const send = async (source: Source, request: (uploadId: string) => ReturnType<typeof batchRequest>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setPending(true);
    setProblem(null);
    try {
      if (source.kind === 'csv' && uploaded.current?.file !== source.file) {
        uploaded.current = { file: source.file, id: (await upload(asCsv(source.file))).id };
      }
      const body = request(uploaded.current?.id ?? '');
      const json = JSON.stringify(body);
      if (sent.current.json !== json) sent.current = { json, key: idempotencyKey() };
      const header = { 'Idempotency-Key': sent.current.key };
      const batch = await dataOf(api.POST('/v1/batches', { body, params: { header } }));
      if (!isGone.current) onStarted(batch.id);
    } catch (error) {
      const told = problemOf(error);
      if (told.code === 'upload_not_found') uploaded.current = null;
      setProblem(told);
    }
    isBusy.current = false;
    setPending(false);
  };
  return { isPending, problem, send: (source: Source, request: Parameters<typeof send>[1]) => void send(source, request) };
}
