import { useFontSamples } from '../pdf/font-sample.tsx';
import { ExplainDetails, Stages } from '../ui/explain.tsx';
import type { Preview, Render } from './preview.ts';

/** Why the document looks as it does, with letters of its fonts. It loads PDF.js, so it is loaded on demand. */
export default function ExplainPanel({ render, document }: { render: Render; document: Preview['document'] }) {
  const sample = useFontSamples(document?.file.format === 'pdf' ? document.bytes : null);
  return (
    <>
      <Stages timings={render.timings} />
      <ExplainDetails explain={render.explain} logs={render.logs} sample={sample} />
    </>
  );
}
