import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import type { Zoom } from '../pdf/zoom.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { useSettled } from '../ui/settled.ts';
import { type Previewed, previewOf, type PreviewRequest } from './preview-render.ts';
import type { Template } from './queries.ts';
import { renderOfSource, type Source } from './source.ts';

const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));
const PICTURES = new Set(['png', 'jpeg', 'webp']);

type Props = {
  template: Template;
  source: Source;
  /** Of the saved draft, which a canvas shows. */
  revision: number;
  data: object | null;
  dataName: string | null;
  page: number;
  zoom: Zoom;
  onPlace: (place: { page?: number; zoom?: Zoom }) => void;
  onProblemPlace: (place: { pointer: string } | { line: number; column: number }) => void;
};

/** The page that the draft makes with the chosen data. The last one stays until the next one is there. */
export function PreviewPane({ template, source, revision, data, dataName, page, zoom, onPlace, onProblemPlace }: Props) {
  const { key } = useKey();
  const { can, isLive } = useRights();
  const isCanvas = template.type === 'image_canvas';
  const request = useMemo((): PreviewRequest | null => {
    if (data === null) return null;
    if (isCanvas) return { input: { type: 'template', template_id: template.id }, version: 'draft', data };
    return source.html.trim() === '' ? null : { ...renderOfSource(source), data };
  }, [isCanvas, template.id, source, data]);
  const settled = useSettled(request === null ? '' : JSON.stringify(request));
  const mayRender = can('render:write') && !isLive;
  const preview = useQuery({
    queryKey: ['template-preview', key, settled, isCanvas ? revision : 0],
    queryFn: ({ signal }) => previewOf(JSON.parse(settled) as PreviewRequest, signal),
    enabled: mayRender && settled !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  const last = useRef<Previewed | null>(null);
  if (preview.data) last.current = preview.data;
  const shown = last.current;
  return (
    <section className="pane preview" aria-label={texts.template.parts.preview}>
      {preview.error && <ProblemBox problem={problemOf(preview.error)} onPlace={onProblemPlace} />}
      {!can('render:write') ? <p className="pane-note">{texts.template.previewNoScope}</p> : isLive && <p className="pane-note">{texts.template.previewLive}</p>}
      {mayRender && (
        <p className="preview-line" aria-live="polite">
          {dataName === null ? texts.template.previewNoData : texts.template.previewOf(dataName)}
          {isCanvas && `. ${texts.template.previewScene}`}
          <span className="spacer" />
          {preview.isFetching && texts.template.previewing}
        </p>
      )}
      {shown ? <Shown preview={shown} page={page} zoom={zoom} onPlace={onPlace} /> : !preview.error && mayRender && <div className="pane-empty"><p>{settled === '' && texts.template.previewEmpty}</p></div>}
    </section>
  );
}

function Shown({ preview, page, zoom, onPlace }: { preview: Previewed; page: number; zoom: Zoom; onPlace: Props['onPlace'] }) {
  const { format, bytes } = preview;
  if (format === 'pdf') return <Suspense fallback={<div className="pdf" />}><PdfView bytes={bytes} page={page} zoom={zoom} onChange={onPlace} /></Suspense>;
  if (PICTURES.has(format)) return <div className="sheets"><Picture format={format} bytes={bytes} /></div>;
  return <pre className="file-text" tabIndex={0}>{new TextDecoder().decode(bytes)}</pre>;
}

export function Picture({ format, bytes }: { format: string; bytes: Uint8Array }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes.slice()], { type: `image/${format}` }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, format]);
  return <img className="sheet picture" src={url} alt={texts.template.picture} />;
}
