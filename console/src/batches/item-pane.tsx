import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import type { Zoom } from '../pdf/zoom.ts';
import { fileBytes, oneRender } from '../renders/queries.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem-box.tsx';
import type { BatchItem } from './queries.ts';
import { ItemState } from './state.tsx';

const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));

type Props = { item: BatchItem; onClose: (() => void) | undefined };

/** One item: its document, or why there is none. */
export function ItemPane({ item, onClose }: Props) {
  const name = item.reference ?? item.filename;
  return (
    <aside className="item-pane" aria-label={texts.batch.item(item.index)}>
      <header className="item-pane-head">
        <h2>{texts.batch.item(item.index)}</h2>
        <ItemState status={item.status} />
        <span className="item-pane-name">{name}</span>
        {item.render_id && <Link to="/renders/$id" params={{ id: item.render_id }} className="button">{texts.batch.openRender}</Link>}
        {onClose && <button type="button" className="button quiet-button" onClick={onClose} aria-label={texts.batch.close}><Icon name="close" /></button>}
      </header>
      {item.error && <Failure error={item.error} />}
      {item.error?.previous_render_id && <p className="pane-note">{texts.batch.before} <Link to="/renders/$id" params={{ id: item.error.previous_render_id }}><code>{item.error.previous_render_id}</code></Link></p>}
      {item.status === 'succeeded' && item.render_id ? <Document renderId={item.render_id} /> : <div className="pane-empty"><p>{texts.batch.noDocument[item.status]}</p></div>}
    </aside>
  );
}

function Failure({ error }: { error: NonNullable<BatchItem['error']> }) {
  const { code, message, line, column, excerpt, errors } = error;
  const place = line == null ? {} : { line, column: column ?? 1, ...(excerpt ? { excerpt } : {}) };
  return <ProblemBox problem={{ title: texts.render.failed, detail: message, code, ...(errors ? { errors } : {}), ...place }} />;
}

function Document({ renderId }: { renderId: string }) {
  const { key } = useKey();
  const [place, setPlace] = useState<{ page: number; zoom: Zoom }>({ page: 1, zoom: 'width' });
  const render = useQuery(oneRender(key ?? '', renderId));
  const file = render.data?.files.find(({ format }) => format === 'pdf');
  const bytes = useQuery(fileBytes(file));
  if (render.error) return <ProblemBox problem={problemOf(render.error)} />;
  if (render.data && !file?.url) {
    const format = render.data.files[0]?.format;
    const why = render.data.files_purged_at || format === undefined ? texts.batch.filesGone : texts.batch.otherFormat(format);
    return <div className="pane-empty"><p>{why}</p></div>;
  }
  if (bytes.error) return <p className="pdf-unreadable" role="alert">{texts.pages.unreadable}</p>;
  if (!bytes.data) return <div className="pdf" />;
  return (
    <Suspense fallback={<div className="pdf" />}>
      <PdfView bytes={bytes.data} page={place.page} zoom={place.zoom} onChange={(next) => setPlace((before) => ({ ...before, ...next }))} />
    </Suspense>
  );
}
