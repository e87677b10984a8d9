import { lazy, Suspense, useCallback, useState } from 'react';
import { type Preview, usePreview } from '../playground/preview.ts';
import type { Zoom } from '../pdf/zoom.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { WithCode } from '../ui/with-code.tsx';

const PdfView = lazy(() => import('../pdf/pdf-view.tsx'));
const LAYER = /layers\[\d+\](?:\.layers\[\d+\])*/;

type Props = {
  /** The render of the draft; another revision of it is another request. */
  request: Parameters<typeof usePreview>[0];
  isDirty: boolean;
  isLive: boolean;
  canRender: boolean;
  /** Save the draft, which the preview shows; null if that is not possible. */
  onSave: (() => void) | null;
  /** Go to a layer, by its indexes. */
  onLayer: (indexes: readonly number[]) => void;
};

/** The draft as the service draws it. */
export function ScenePreview({ request, isDirty, isLive, canRender, onSave, onLayer }: Props) {
  const { preview } = usePreview(request, canRender && !isLive);
  const [zoom, setZoom] = useState<Zoom>('page');
  const onPlace = useCallback((place: { zoom?: Zoom }) => { if (place.zoom) setZoom(place.zoom); }, []);
  const failed = LAYER.exec(preview.problem?.detail ?? '')?.[0];
  return (
    <>
      {!canRender && <p className="pane-note">{texts.play.noWrite}</p>}
      {canRender && isLive && <p className="pane-note">{texts.scene.liveKey}</p>}
      {isDirty && <p className="pane-note scene-older">{texts.scene.older}{onSave && <button type="button" className="link" onClick={onSave}>{texts.scene.saveNow}</button>}</p>}
      {preview.problem && (
        <ProblemBox problem={preview.problem}>
          {failed && <button type="button" className="link" onClick={() => onLayer(indexesOf(failed))}>{texts.scene.goToLayer(failed)}</button>}
        </ProblemBox>
      )}
      {!preview.problem && <Warnings warnings={preview.render?.warnings ?? []} onLayer={onLayer} />}
      {preview.document
        ? <Suspense fallback={<div className="pdf" />}><PdfView bytes={preview.document.bytes} page={1} zoom={zoom} onChange={onPlace} /></Suspense>
        : <div className="pane-empty"><p aria-live="polite">{preview.isPending ? texts.play.rendering : ''}</p></div>}
    </>
  );
}

type Warning = NonNullable<Preview['render']>['warnings'][number];

function Warnings({ warnings, onLayer }: { warnings: readonly Warning[]; onLayer: Props['onLayer'] }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="remarks scene-warnings">
      {warnings.map((warning, number) => {
        const place = LAYER.exec(warning.detail ?? '')?.[0];
        return (
          <li key={`${number} ${warning.code}`} className="remark warning">
            <code>{warning.code}</code>
            <p><WithCode text={warning.message} /></p>
            {place && <button type="button" className="link" onClick={() => onLayer(indexesOf(place))}>{texts.scene.goToLayer(place)}</button>}
          </li>
        );
      })}
    </ul>
  );
}

function indexesOf(place: string): number[] {
  return [...place.matchAll(/\d+/g)].map(([index]) => Number(index));
}
