import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist';
import PdfWorker from 'pdfjs-dist/build/pdf.worker.min.mjs?worker';

export type PageSize = { width: number; height: number };
/** A rectangle of a page, in CSS pixels from its top left corner. */
export type Box = { page: number; left: number; top: number; width: number; height: number };
/** A run of text as the PDF places it; `font` is the name of its font, if names are asked for. */
export type TextRun = { text: string; font: string; box: Box };
/** An opened PDF: sizes of its pages in CSS pixels, pictures and texts of them. */
export type OpenedPdf = {
  pages: PageSize[];
  draw: (number: number, scale: number) => { canvas: Promise<HTMLCanvasElement>; cancel: () => void };
  /** Picture of a part of a page. */
  drawPart: (box: Box, scale: number) => Promise<HTMLCanvasElement>;
  texts: (number: number) => Promise<TextRun[]>;
  /** The fields of its form. */
  fields: () => Promise<FormField[]>;
  close: () => void;
};
export type FormField = { name: string; kind: 'text' | 'switch' | 'choice'; value: string; values: string[] };

const CSS_PIXELS_PER_POINT = 96 / 72;
const MAX_PIXELS = 16_000_000;
// What a line of text needs below its base, as a share of its size.
const DESCENT = 0.25;
// Sizes of more pages are taken from the first one until they are drawn.
const MAX_MEASURED = 200;

/** Open a PDF; the bytes are handed over. Names of fonts cost time, and are there if they are asked for. */
export async function openPdf(bytes: Uint8Array, { password = '', hasFontNames = false } = {}): Promise<OpenedPdf> {
  const pdf = await load(bytes, { password, fontExtraProperties: hasFontNames });
  return {
    pages: await sizes(pdf),
    draw: (number, scale) => draw(pdf, number, scale),
    drawPart: (box, scale) => drawPart(pdf, box, scale),
    texts: (number) => textsOf(pdf, number, hasFontNames),
    fields: () => fields(pdf),
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

function load(bytes: Uint8Array, options: { password?: string; fontExtraProperties?: boolean } = {}): Promise<PDFDocumentProxy> {
  GlobalWorkerOptions.workerPort ??= new PdfWorker();
  return getDocument({ data: bytes, useWasm: false, enableXfa: false, stopAtErrors: false, ...options }).promise;
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

async function drawPart(pdf: PDFDocumentProxy, box: Box, scale: number): Promise<HTMLCanvasElement> {
  const page = await pdf.getPage(box.page);
  const whole = scale * devicePixelRatio;
  const viewport = page.getViewport({ scale: whole * CSS_PIXELS_PER_POINT, offsetX: -box.left * whole, offsetY: -box.top * whole });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(box.width * whole));
  canvas.height = Math.max(1, Math.round(box.height * whole));
  await page.render({ canvas, viewport }).promise;
  return canvas;
}

async function textsOf(pdf: PDFDocumentProxy, number: number, hasFontNames: boolean): Promise<TextRun[]> {
  const page = await pdf.getPage(number);
  const viewport = page.getViewport({ scale: CSS_PIXELS_PER_POINT });
  // Fonts have their names once the operations of the page are read.
  const [{ items }] = await Promise.all([page.getTextContent(), hasFontNames ? page.getOperatorList() : null]);
  return items.flatMap((item) => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [, , , , x = 0, y = 0] = item.transform as number[];
    const height = Math.max(item.height, 1);
    const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(x, y - DESCENT * height) as number[];
    const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(x + item.width, y + height) as number[];
    const box = { page: number, left: Math.min(x1, x2), top: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
    return [{ text: item.str, font: hasFontNames ? fontName(page, item.fontName) : '', box }];
  });
}

function fontName(page: PDFPageProxy, id: string): string {
  if (!page.commonObjs.has(id)) return '';
  return String((page.commonObjs.get(id) as { name?: string } | null)?.name ?? '');
}
