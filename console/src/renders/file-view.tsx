import { lazy, Suspense, useEffect, useState } from 'react';
import type { Zoom } from '../pdf/zoom.ts';
import { texts } from '../texts.ts';
import type { RenderFile } from './queries.ts';

const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));

const PICTURES = new Set(['png', 'jpeg', 'webp']);
const TEXTS = new Set(['html', 'xml', 'txt']);

type FileProps = { file: RenderFile; bytes: Uint8Array; page: number; zoom: Zoom; onChange: (place: { page?: number; zoom?: Zoom }) => void };

/** A file of a render as pages, picture or text, never as markup. */
export function FileView({ file, bytes, page, zoom, onChange }: FileProps) {
  if (file.format === 'pdf') {
    return <Suspense fallback={<div className="pdf" />}><PdfView bytes={bytes} page={page} zoom={zoom} onChange={onChange} /></Suspense>;
  }
  if (PICTURES.has(file.format)) return <Picture file={file} bytes={bytes} />;
  if (TEXTS.has(file.format)) return <pre className="file-text" tabIndex={0}>{new TextDecoder().decode(bytes)}</pre>;
  return <div className="pane-empty"><p>{texts.pages.noPreview(file.format)}</p></div>;
}

function Picture({ file, bytes }: { file: RenderFile; bytes: Uint8Array }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes.slice()], { type: `image/${file.format}` }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, file.format]);
  return <div className="sheets"><img className="sheet picture" src={url} alt={file.filename} width={file.width ?? undefined} height={file.height ?? undefined} /></div>;
}
