import { lazy, Suspense } from 'react';
import { texts } from '../texts.ts';
import type { Box, OpenedPdf } from './document.ts';
import type { Margins } from './overlays.tsx';
import { PictureView } from './picture-view.tsx';
import type { Zoom } from './zoom.ts';

const PdfView = lazy(() => import('./pdf-view.tsx'));
const PICTURES = new Set(['png', 'jpeg', 'webp']);
const TEXTS = new Set(['html', 'xml', 'txt']);

type Props = {
  file: { format: string; filename: string; width: number | null; height: number | null };
  bytes: Uint8Array;
  page: number;
  zoom: Zoom;
  onChange: (place: { page?: number; zoom?: Zoom }) => void;
  onOpen?: (pdf: OpenedPdf) => void;
  marks?: readonly Box[];
  margins?: Margins | null;
};

/** A file of a render as pages, picture or text, never as markup. */
export function FileView({ file, bytes, ...place }: Props) {
  if (file.format === 'pdf') return <Suspense fallback={<div className="pdf" />}><PdfView bytes={bytes} {...place} /></Suspense>;
  if (PICTURES.has(file.format)) return <PictureView file={file} bytes={bytes} zoom={place.zoom} onChange={place.onChange} />;
  if (TEXTS.has(file.format)) return <pre className="file-text" tabIndex={0}>{new TextDecoder().decode(bytes)}</pre>;
  return <div className="pane-empty"><p>{texts.pages.noPreview(file.format)}</p></div>;
}
