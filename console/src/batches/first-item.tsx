import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { components } from 'contract';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import type { Zoom } from '../pdf/zoom.ts';
import { PREVIEW } from '../playground/preview-mark.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';

const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));

const PAUSE_MS = 400;

type Props = {
  template: string;
  version: 'live' | number;
  data: object;
  /** The number of the item, from 0, and how many can be looked at. */
  at: number;
  count: number;
  onMove: (at: number) => void;
};

/** One of the first items as a document: at once with a test key, on demand with a live key. */
export function FirstItem({ template, version, data, at, count, onMove }: Props) {
  const { key } = useKey();
  const { isLive } = useRights();
  const [place, setPlace] = useState<{ page: number; zoom: Zoom }>({ page: 1, zoom: 'width' });
  const json = useSettled(JSON.stringify({ input: { type: 'template', template_id: template, version }, data }));
  const [asked, setAsked] = useState('');
  const preview = useQuery({
    queryKey: ['first-item', key, json],
    enabled: !isLive || asked === json,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => rendered(json, signal),
  });
  return (
    <section className="first-item" aria-label={texts.newBatch.preview}>
      <header className="first-item-head">
        <h2>{texts.batch.item(at)}</h2>
        <span className="spacer" />
        <button type="button" className="button" disabled={at === 0} onClick={() => onMove(at - 1)}>{texts.newBatch.previous}</button>
        <button type="button" className="button" disabled={at >= count - 1} onClick={() => onMove(at + 1)}>{texts.newBatch.next}</button>
        {isLive && <button type="button" className="button" onClick={() => setAsked(json)}>{texts.newBatch.look}</button>}
      </header>
      {preview.error && <ProblemBox problem={problemOf(preview.error)} />}
      {preview.data ? (
        <Suspense fallback={<div className="pdf" />}>
          <PdfView bytes={preview.data} page={place.page} zoom={place.zoom} onChange={(next) => setPlace((before) => ({ ...before, ...next }))} />
        </Suspense>
      ) : (
        <div className="pane-empty"><p>{isLive && asked !== json ? texts.newBatch.liveHint : preview.isFetching ? texts.newBatch.rendering : ''}</p></div>
      )}
    </section>
  );
}

/** The PDF of a request; nothing of it is stored. */
async function rendered(json: string, signal: AbortSignal): Promise<Uint8Array> {
  const body = {
    ...JSON.parse(json),
    output: { format: 'pdf' },
    metadata: { [PREVIEW.name]: PREVIEW.value },
    timeout_behavior: 'cancel',
    delivery: { type: 'base64', hosted: false },
  } as components['schemas']['RenderRequest'];
  const render = await dataOf(api.POST('/v1/renders', { body, signal })) as components['schemas']['Render'];
  const [file] = render.files;
  if (file?.content_base64) return Uint8Array.from(atob(file.content_base64), (letter) => letter.charCodeAt(0));
  const answer = await fetch(file?.url ?? '', { signal });
  return new Uint8Array(await answer.arrayBuffer());
}

/** A text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
