import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Box, type OpenedPdf, openPdf, type TextRun } from './document.ts';

const HEIGHT = 20;
const MAX_WIDTH = 72;
const MAX_PAGES = 10;

/** The first letters of a document that each of its fonts draws, cut out of its pages. */
export function useFontSamples(bytes: Uint8Array | null): (family: string) => ReactNode {
  const [pdf, setPdf] = useState<OpenedPdf | null>(null);
  useEffect(() => {
    if (!bytes) return undefined;
    const opening = openPdf(bytes.slice(), { hasFontNames: true });
    let isCurrent = true;
    void opening.then((opened) => { if (isCurrent) setPdf(opened); }, () => undefined);
    return () => {
      isCurrent = false;
      void opening.then((opened) => opened.close(), () => undefined);
    };
  }, [bytes]);
  return (family) => pdf && <Sample pdf={pdf} family={family} />;
}

function Sample({ pdf, family }: { pdf: OpenedPdf; family: string }) {
  const host = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let isCurrent = true;
    void sampleOf(pdf, family).then((canvas) => {
      if (isCurrent) host.current?.replaceChildren(...(canvas ? [canvas] : []));
    }, () => undefined);
    return () => { isCurrent = false; };
  }, [pdf, family]);
  return <span className="font-sample" ref={host} aria-hidden="true" />;
}

async function sampleOf(pdf: OpenedPdf, family: string): Promise<HTMLCanvasElement | null> {
  for (let number = 1; number <= Math.min(pdf.pages.length, MAX_PAGES); number += 1) {
    const run = longest((await pdf.texts(number)).filter(({ font }) => isOf(font, family)));
    if (!run) continue;
    const scale = HEIGHT / run.box.height;
    const box: Box = { ...run.box, width: Math.min(run.box.width, MAX_WIDTH / scale) };
    const canvas = await pdf.drawPart(box, scale);
    canvas.style.width = `${box.width * scale}px`;
    canvas.style.height = `${HEIGHT}px`;
    return canvas;
  }
  return null;
}

function longest(runs: TextRun[]): TextRun | undefined {
  return runs.find(({ text }) => text.length > 3) ?? runs[0];
}

/** A font of a PDF is named after its family: `AAAAAA+Inter-SemiBold`. */
function isOf(font: string, family: string): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return plain(font.replace(/^[A-Z]{6}\+/, '')).startsWith(plain(family));
}
