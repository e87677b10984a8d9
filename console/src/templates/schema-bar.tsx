import { api, dataOf } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { jsonText } from './source.ts';
import { useSingle } from './use-single.ts';

type Props = { templateId: string; hasDatasets: boolean; canEdit: boolean; onInfer: (schema: string) => void };

/** What a schema is for, and a button that reads one from the datasets. */
export function SchemaBar({ templateId, hasDatasets, canEdit, onInfer }: Props) {
  const infer = useSingle({
    mutationFn: () => dataOf(api.POST('/v1/templates/{id}/infer-schema', { params: { path: { id: templateId } } })),
    onSuccess: ({ schema }) => onInfer(jsonText(schema)),
  });
  return (
    <div className="source-bar">
      <p className="quiet">{hasDatasets || !canEdit ? texts.schema.hint : texts.schema.noDatasets}</p>
      {canEdit && <button type="button" className="button" disabled={!hasDatasets || infer.isPending} onClick={() => infer.mutate()}>{infer.isPending ? texts.schema.inferring : texts.schema.infer}</button>}
      {infer.error && <ProblemBox problem={problemOf(infer.error)} />}
    </div>
  );
}
