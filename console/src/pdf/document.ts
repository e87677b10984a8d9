import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from 'pdfjs-dist';
import PdfWorker from 'pdfjs-dist/build/pdf.worker.min.mjs?worker';

export type PageSize = { width: number; height: number };
/** An opened PDF: sizes of its pages in CSS pixels, and pictures of them. */
export type OpenedPdf = {
  pages: PageSize[];
  draw: (number: number, scale: number) => { canvas: Promise<HTMLCanvasElement>; cancel: () => void };
  close: () => void;
};

const CSS_PIXELS_PER_POINT = 96 / 72;
const MAX_PIXELS = 16_000_000;
// Sizes of more pages are taken from the first one until they are drawn.
const MAX_MEASURED = 200;

/** Open a PDF; the bytes are handed over. */
export async function openPdf(bytes: Uint8Array): Promise<OpenedPdf> {
  GlobalWorkerOptions.workerPort ??= new PdfWorker();
  const pdf = await getDocument({ data: bytes, useWasm: false, enableXfa: false, stopAtErrors: false }).promise;
  return { pages: await sizes(pdf), draw: (number, scale) => draw(pdf, number, scale), close: () => void pdf.loadingTask.destroy() };
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
