import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { type Box, type OpenedPdf, openPdf, type PageSize } from './document.ts';
import { type Margins, MarginRuler, Marks } from './overlays.tsx';
import { type Zoom, ZOOMS } from './zoom.ts';

type Props = {
  /** The file; another one replaces it when its first pages are drawn. */
  bytes: Uint8Array;
  page: number;
  zoom: Zoom;
  onChange: (place: { page?: number; zoom?: Zoom }) => void;
  /** Called with each file that is shown. */
  onOpen?: (pdf: OpenedPdf) => void;
  /** Boxes that are drawn over the pages; the first one is brought into view. */
  marks?: readonly Box[];
  /** Margins of the pages, which are drawn where the pointer is. */
  margins?: Margins | null;
};

const THUMB_WIDTH = 56;
const PADDING = 24;
const NO_MARKS: readonly Box[] = [];

/** The pages of a PDF as pictures, a list of them, and their zoom. */
export default function PdfView({ bytes, page, zoom, onChange, onOpen, marks = NO_MARKS, margins = null }: Props) {
  const [pdf, setPdf] = useState<OpenedPdf | null>(null);
  const [isUnreadable, setUnreadable] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const room = useRoom(scroller);
  const shownPage = useRef(page);

  useEffect(() => {
    let isCurrent = true;
    // PDF.js moves the bytes into its worker.
    openPdf(bytes.slice()).then(
      (opened) => {
        if (!isCurrent) { opened.close(); return; }
        setUnreadable(false);
        setPdf((before) => {
          if (before) setTimeout(before.close, 2000);
          return opened;
        });
        onOpen?.(opened);
      },
      () => isCurrent && setUnreadable(true),
    );
    return () => { isCurrent = false; };
  }, [bytes, onOpen]);

  useEffect(() => {
    if (marks.length > 0) scroller.current?.querySelector('.page-mark')?.scrollIntoView({ block: 'nearest' });
  }, [marks]);

  const pages = pdf?.pages ?? [];
  const count = pages.length;
  const scaleOf = (size: PageSize): number => {
    if (zoom === 'full' || room.width === 0) return 1;
    const byWidth = (room.width - 2 * PADDING) / size.width;
    return zoom === 'width' ? Math.min(byWidth, 2) : Math.min(byWidth, (room.height - 2 * PADDING) / size.height);
  };

  const goTo = useCallback((number: number) => {
    scroller.current?.querySelector(`[data-page="${number}"]`)?.scrollIntoView({ block: 'start' });
    shownPage.current = number;
    onChange({ page: number });
  }, [onChange]);

  // An address that names a page leads to it, once there are pages.
  useLayoutEffect(() => {
    if (count > 0 && page > 1) scroller.current?.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: 'start' });
  }, [count > 0]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const middle = box.scrollTop + box.clientHeight / 3;
    const sheets = [...box.querySelectorAll<HTMLElement>('[data-page]')];
    const current = sheets.findLast((sheet) => sheet.offsetTop <= middle) ?? sheets[0];
    const number = Number(current?.dataset.page ?? 1);
    if (number !== shownPage.current) {
      shownPage.current = number;
      onChange({ page: number });
    }
  };

  const onKeys = (event: KeyboardEvent) => {
    if (event.key === 'PageDown' && page < count) { event.preventDefault(); goTo(page + 1); }
    if (event.key === 'PageUp' && page > 1) { event.preventDefault(); goTo(page - 1); }
  };

  const current = Math.min(page, Math.max(count, 1));
  return (
    <div className="pdf">
      <div className="pdf-bar">
        <span className="pdf-count">{count > 0 && texts.pages.page(current, count)}</span>
        <div className="segments" role="group" aria-label={texts.pages.zoom}>
          {ZOOMS.map((each) => (
            <button key={each} type="button" aria-pressed={zoom === each} onClick={() => onChange({ zoom: each })}>
              {texts.pages.zooms[each]}
            </button>
          ))}
        </div>
      </div>
      {isUnreadable && <p className="pdf-unreadable" role="alert">{texts.pages.unreadable}</p>}
      <div className="pdf-body">
        {count > 1 && pdf && (
          <nav className="thumbs" aria-label={texts.pages.list}>
            {pages.map((size, index) => (
              <button
                key={index}
                type="button"
                aria-label={texts.pages.page(index + 1, count)}
                aria-current={index + 1 === current ? 'page' : undefined}
                onClick={() => goTo(index + 1)}
              >
                <Sheet pdf={pdf} number={index + 1} size={size} scale={THUMB_WIDTH / size.width} />
                <span>{index + 1}</span>
              </button>
            ))}
          </nav>
        )}
        <div
          className="sheets"
          ref={scroller}
          onScroll={onScroll}
          onKeyDown={onKeys}
          tabIndex={0}
          role="region"
          aria-label={texts.pages.document}
        >
          {pdf && pages.map((size, index) => (
            <div key={index} className="sheet-place" data-page={index + 1} role="img" aria-label={texts.pages.page(index + 1, count)}>
              <Sheet pdf={pdf} number={index + 1} size={size} scale={scaleOf(size)} />
              {margins && <MarginRuler margins={margins} scale={scaleOf(size)} />}
              <Marks marks={marks} page={index + 1} scale={scaleOf(size)} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** One page on paper. Its last picture stays until the next one is ready. */
export function Sheet({ pdf, number, size, scale }: { pdf: OpenedPdf; number: number; size: PageSize; scale: number }) {
  const paper = useRef<HTMLCanvasElement>(null);
  const isNear = useNearness(paper);
  const width = Math.round(size.width * scale);
  const height = Math.round(size.height * scale);

  useLayoutEffect(() => {
    const target = paper.current;
    if (!target) return;
    target.style.width = `${width}px`;
    target.style.height = `${height}px`;
  }, [width, height]);

  useEffect(() => {
    if (!isNear) return undefined;
    const drawing = pdf.draw(number, scale);
    drawing.canvas.then(
      (picture) => {
        const target = paper.current;
        if (!target) return;
        target.width = picture.width;
        target.height = picture.height;
        target.getContext('2d')?.drawImage(picture, 0, 0);
        target.dataset.drawn = 'true';
      },
      () => undefined,
    );
    return drawing.cancel;
  }, [pdf, number, scale, isNear]);

  return <canvas className="sheet" ref={paper} aria-hidden="true" />;
}

function useRoom(box: { current: HTMLElement | null }): { width: number; height: number } {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const target = box.current;
    if (!target) return undefined;
    const measure = () => setRoom({ width: target.clientWidth, height: target.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [box]);
  return room;
}

function useNearness(box: { current: HTMLElement | null }): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const target = box.current;
    if (!target) return undefined;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), { rootMargin: '400px' });
    observer.observe(target);
    return () => observer.disconnect();
  }, [box]);
  return isNear;
}
