import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from 'pdfjs-dist';
import PdfWorker from 'pdfjs-dist/build/pdf.worker.min.mjs?worker';
import { findText, type PageBox } from './find-text.ts';

export type PageSize = { width: number; height: number };
/** An opened PDF: sizes of its pages in CSS pixels, and pictures of them. */
export type OpenedPdf = {
  pages: PageSize[];
  draw: (number: number, scale: number) => { canvas: Promise<HTMLCanvasElement>; cancel: () => void };
  /** The fields of its form. */
  fields: () => Promise<FormField[]>;
  /** The first place where one of the texts is printed, the first text before the others; null if there is none. */
  find: (wanted: readonly string[]) => Promise<PageBox | null>;
  close: () => void;
};
export type FormField = { name: string; kind: 'text' | 'switch' | 'choice'; value: string; values: string[] };

const CSS_PIXELS_PER_POINT = 96 / 72;
const MAX_PIXELS = 16_000_000;
// Sizes of more pages are taken from the first one until they are drawn.
const MAX_MEASURED = 200;

/** Open a PDF; the bytes are handed over. */
export async function openPdf(bytes: Uint8Array, password = ''): Promise<OpenedPdf> {
  const pdf = await load(bytes, password);
  return {
    pages: await sizes(pdf),
    draw: (number, scale) => draw(pdf, number, scale),
    fields: () => fields(pdf),
    find: (wanted) => findText(pdf, wanted),
    close: () => void pdf.loadingTask.destroy(),
  };
}

/** The files that a PDF carries; the bytes are handed over. */
export async function attachmentsOf(bytes: Uint8Array): Promise<{ name: string; bytes: Uint8Array }[]> {
  const pdf = await load(bytes);
  try {
    const found = await pdf.getAttachments();
    const files = [...(found ?? [])].map(async ([id, { filename, content }]) => ({ name: filename, bytes: content ?? (await pdf.getAttachmentContent(id)) }));
    return (await Promise.all(files)).flatMap(({ name, bytes: read }) => (read ? [{ name, bytes: read }] : []));
  } finally {
    void pdf.loadingTask.destroy();
  }
}

function load(bytes: Uint8Array, password = ''): Promise<PDFDocumentProxy> {
  GlobalWorkerOptions.workerPort ??= new PdfWorker();
  return getDocument({ data: bytes, password, useWasm: false, enableXfa: false, stopAtErrors: false }).promise;
}

type FieldObject = { type: string; value?: unknown; exportValues?: string; items?: { exportValue: string }[] };

/** A field may stand in several places: radio buttons have one for each of their values. */
async function fields(pdf: PDFDocumentProxy): Promise<FormField[]> {
  const found = Object.entries(((await pdf.getFieldObjects()) ?? {}) as Record<string, FieldObject[]>);
  return found.flatMap(([name, places]): FormField[] => {
    const shown = places.filter((each) => each.type);
    const [first] = shown;
    if (!first || first.type === 'button' || first.type === 'signature') return [];
    const value = typeof first.value === 'string' ? first.value : '';
    if (first.type === 'checkbox') return [{ name, kind: 'switch', value, values: [] }];
    const values = first.type === 'radiobutton'
      ? shown.flatMap((each) => (each.exportValues ? [each.exportValues] : []))
      : (first.items ?? []).map((each) => each.exportValue);
    return [{ name, kind: values.length > 0 ? 'choice' : 'text', value, values }];
  });
}

async function sizes(pdf: PDFDocumentProxy): Promise<PageSize[]> {
  const measured = await Promise.all(
    Array.from({ length: Math.min(pdf.numPages, MAX_MEASURED) }, async (_, index) => {
      const { width, height } = (await pdf.getPage(index + 1)).getViewport({ scale: CSS_PIXELS_PER_POINT });
      return { width, height };
    }),
  );
  const [first = { width: 1, height: 1 }] = measured;
  return Array.from({ length: pdf.numPages }, (_, index) => measured[index] ?? first);
}

function draw(pdf: PDFDocumentProxy, number: number, scale: number) {
  let cancel = (): void => undefined;
  let isCanceled = false;
  const canvas = (async () => {
    const page = await pdf.getPage(number);
    const natural = page.getViewport({ scale: 1 });
    const wanted = scale * CSS_PIXELS_PER_POINT * devicePixelRatio;
    const largest = Math.sqrt(MAX_PIXELS / (natural.width * natural.height));
    const viewport = page.getViewport({ scale: Math.min(wanted, largest) });
    const target = document.createElement('canvas');
    target.width = Math.max(1, Math.round(viewport.width));
    target.height = Math.max(1, Math.round(viewport.height));
    if (isCanceled) throw new Error('canceled');
    const task = page.render({ canvas: target, viewport });
    cancel = () => task.cancel();
    await task.promise;
    return target;
  })();
  return { canvas, cancel: () => { isCanceled = true; cancel(); } };
}
