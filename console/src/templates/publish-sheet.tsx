import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { openPdf } from '../pdf/document.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { Picture } from './preview-pane.tsx';
import type { Previewed } from './preview-render.ts';
import { type DatasetSummary, datasetsOf, type Template } from './queries.ts';
import { type Run, useRuns } from './use-runs.ts';
import { useSingle } from './use-single.ts';

const NOTE_LENGTH = 1000;
const PICTURES = new Set(['png', 'jpeg', 'webp']);
const WIDTH = 132;

type Props = {
  dialog: { current: HTMLDialogElement | null };
  template: Template;
  /** The draft to publish; null while the sheet is closed. */
  revision: number | null;
  onClose: () => void;
};

/** The last look before publishing: each dataset as verdict and picture, then the button. */
export function PublishSheet({ dialog, template, revision, onClose }: Props) {
  const title = useId();
  return (
    <dialog ref={(element) => { dialog.current = element; }} className="dialog sheet-dialog" aria-labelledby={title} onClose={onClose}>
      {revision !== null && <Body key={revision} title={title} template={template} revision={revision} close={() => dialog.current?.close()} />}
    </dialog>
  );
}

function Body({ title, template, revision, close }: { title: string; template: Template; revision: number; close: () => void }) {
  const { key } = useKey();
  const { can, isLive } = useRights();
  const queries = useQueryClient();
  const list = useQuery(datasetsOf(key ?? '', template.id));
  const sets = list.data ?? [];
  const mayRun = can('render:write') && !isLive;
  const { runs, again } = useRuns(template.id, sets, mayRun && list.isSuccess);
  const [note, setNote] = useState('');
  // A repeat after an outage publishes nothing twice.
  const attempt = useRef(crypto.randomUUID());
  const [next] = useState((template.live_version?.number ?? 0) + 1);
  const publish = useSingle({
    mutationFn: () => dataOf(api.POST('/v1/templates/{id}/publish', {
      params: { path: { id: template.id }, header: { 'If-Match': `"${revision}"`, 'Idempotency-Key': attempt.current } },
      body: { note: note.trim() || null },
    })),
    onError: () => { attempt.current = crypto.randomUUID(); },
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  const states = sets.map(({ id }) => runs[id]?.state ?? 'waiting');
  const isFailed = states.includes('failed');
  const isReady = list.isSuccess && (!mayRun || states.every((state) => state === 'passed'));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !publish.isPending && !publish.isSuccess) publish.mutate();
  };
  return (
    <form className="sheet-body" onSubmit={submit}>
      <header>
        <h2 id={title}>{texts.publish.title(next)}</h2>
        <p className="quiet">{texts.publish.lead(revision)}</p>
      </header>
      <div className="sheet-scroll">
        {publish.error && <ProblemBox problem={problemOf(publish.error)} />}
        {list.error && <ProblemBox problem={problemOf(list.error)} />}
        {!can('render:write') ? <p className="pane-note">{texts.publish.noRender}</p> : isLive && <p className="pane-note">{texts.publish.liveKey}</p>}
        <label className="stacked">
          <span>{texts.publish.note}</span>
          <textarea className="input" rows={2} maxLength={NOTE_LENGTH} placeholder={texts.publish.noteHint} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        <div className="runs-head">
          <h3>{texts.publish.run}</h3>
          {isFailed && <button type="button" className="link" onClick={again}>{texts.publish.again}</button>}
        </div>
        {list.isSuccess && sets.length === 0 && <p className="quiet">{texts.publish.none}</p>}
        <ul className="runs">
          {sets.map((set) => <RunRow key={set.id} set={set} run={mayRun ? (runs[set.id] ?? { state: 'waiting' }) : undefined} />)}
        </ul>
      </div>
      <footer className="dialog-foot">
        {publish.isSuccess ? <p className="published" role="status">{texts.publish.published(publish.data.number)}</p> : isFailed && <p className="blocked">{texts.publish.blocked}</p>}
        <button type="button" className="button" onClick={close}>{texts.publish.close}</button>
        {!publish.isSuccess && <button type="submit" className="button primary" disabled={!isReady || publish.isPending}>{publish.isPending ? texts.publish.publishing : texts.publish.title(next)}</button>}
      </footer>
    </form>
  );
}

const SHAPES = { waiting: 'M6 2.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7z', running: 'M6 2.500a3.500 3.500 0 0 1 0 7z M6 2.500a3.500 3.500 0 1 0 0 7', passed: 'M2.500 6.500 5 9l4.500-5.500', failed: 'M3 3l6 6M9 3 3 9' };
const STATUS = { waiting: 'queued', running: 'processing', passed: 'succeeded', failed: 'failed' };

/** One dataset; without a run it is only named. */
function RunRow({ set, run }: { set: DatasetSummary; run: Run | undefined }) {
  const warnings = run?.state === 'passed' ? run.preview.render.warnings : [];
  return (
    <li className="run">
      <span className="run-picture">{run?.state === 'passed' ? <FirstPage preview={run.preview} /> : <span className="tile-blank" />}</span>
      <div className="run-text">
        <b>{set.name}</b>
        {run && (
          <span className={`status ${STATUS[run.state]}`}>
            <svg viewBox="0 0 12 12" aria-hidden="true"><path d={SHAPES[run.state]} /></svg>
            {texts.publish[run.state]}
          </span>
        )}
        {warnings.length > 0 && (
          <details><summary>{texts.publish.warnings(warnings.length)}</summary>
            <ul className="remarks">{warnings.map((warning, number) => <li key={`${number} ${warning.code}`} className="remark warning"><code>{warning.code}</code><p>{warning.message}</p></li>)}</ul>
          </details>
        )}
        {run?.state === 'failed' && <ProblemBox problem={run.problem} />}
      </div>
    </li>
  );
}

/** The first page of a preview, small. */
function FirstPage({ preview }: { preview: Previewed }) {
  if (PICTURES.has(preview.format)) return <Picture format={preview.format} bytes={preview.bytes} />;
  if (preview.format !== 'pdf') return <span className="tile-blank" />;
  return <PdfPage bytes={preview.bytes} />;
}

function PdfPage({ bytes }: { bytes: Uint8Array }) {
  const place = useRef<HTMLCanvasElement>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    void (async () => {
      // PDF.js moves the bytes into its worker.
      const pdf = await openPdf(bytes.slice());
      const picture = await pdf.draw(1, WIDTH / (pdf.pages[0]?.width ?? WIDTH)).canvas;
      const target = place.current;
      if (isCurrent && target) {
        target.width = picture.width;
        target.height = picture.height;
        target.getContext('2d')?.drawImage(picture, 0, 0);
        target.dataset.drawn = 'true';
      }
      pdf.close();
    })().catch(() => isCurrent && setBroken(true));
    return () => { isCurrent = false; };
  }, [bytes]);
  return isBroken ? <span className="tile-blank">{texts.pages.unreadable}</span> : <canvas className="tile-sheet" ref={place} aria-hidden="true" />;
}
