import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { parsedData } from '../playground/model.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { type DatasetSummary, datasetsOf, oneDataset } from './queries.ts';
import { jsonText } from './source.ts';
import { useSingle } from './use-single.ts';

const NAME_LENGTH = 120;

export type Datasets = ReturnType<typeof useDatasets>;

/** The datasets of a template, and the text of the chosen one as this tab writes it. */
export function useDatasets(templateId: string, wanted: string | undefined) {
  const { key } = useKey();
  const list = useQuery(datasetsOf(key ?? '', templateId));
  const sets = list.data ?? [];
  const chosen = sets.find((each) => each.id === wanted) ?? sets.find((each) => each.is_default) ?? sets[0];
  const stored = useQuery(oneDataset(key ?? '', templateId, chosen?.id));
  const [written, setWritten] = useState<Record<string, string>>({});
  const own = stored.data ? jsonText(stored.data.data) || '{}\n' : '';
  const text = (chosen && written[chosen.id]) ?? own;
  const parsed = useMemo(() => {
    const read = parsedData(text);
    return 'fault' in read ? null : read.data;
  }, [text]);
  const isLoaded = list.isSuccess && (chosen === undefined || stored.isSuccess);
  return {
    sets, chosen, text, own,
    /** Null while the data are no JSON object, or not there yet. */
    parsed: isLoaded ? (chosen === undefined ? {} : parsed) : null,
    isDirty: text !== own,
    write: (next: string) => chosen && setWritten((before) => ({ ...before, [chosen.id]: next })),
    forget: (id: string) => setWritten(({ [id]: _gone, ...others }) => others),
  };
}

type Props = { data: Datasets; templateId: string; canWrite: boolean; onChoose: (id: string | undefined) => void; fault: object | undefined };

/** Which dataset is shown, and what can be done with it. */
export function DatasetBar({ data, templateId, canWrite, onChoose, fault }: Props) {
  const { sets, chosen } = data;
  const { key } = useKey();
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [name, setName] = useState<string | null>(null);
  const path = { id: templateId };
  const reload = () => queries.invalidateQueries({ queryKey: datasetsOf(key ?? '', templateId).queryKey });
  const make = useSingle({
    mutationFn: () => dataOf(api.POST('/v1/templates/{id}/datasets', { params: { path }, body: { name: texts.datasets.newName(sets.length + 1), data: (data.parsed ?? {}) as Record<string, unknown> } })),
    onSuccess: async (made) => { await reload(); onChoose(made.id); },
  });
  const replace = useSingle({
    mutationFn: ({ set, ...fields }: { set: DatasetSummary; name: string; data: object; is_default?: boolean }) => dataOf(
      api.PUT('/v1/templates/{id}/datasets/{ds}', { params: { path: { ...path, ds: set.id } }, body: fields as { name: string; data: Record<string, unknown> } }),
    ),
    onSuccess: (saved) => {
      queries.setQueryData(oneDataset(key ?? '', templateId, saved.id).queryKey, saved);
      data.forget(saved.id);
      setName(null);
    },
    onSettled: reload,
  });
  const remove = useSingle({
    mutationFn: async (set: DatasetSummary) => {
      const { error, response } = await api.DELETE('/v1/templates/{id}/datasets/{ds}', { params: { path: { ...path, ds: set.id } } });
      if (!response.ok) await dataOf(Promise.resolve({ error, response }));
    },
    onSuccess: () => onChoose(undefined),
    onSettled: reload,
  });
  const problem = make.error ?? replace.error ?? remove.error;
  const isBusy = make.isPending || replace.isPending || remove.isPending;
  const newName = name ?? chosen?.name ?? '';
  const isChanged = data.isDirty || (chosen !== undefined && newName !== chosen.name);
  const save = (more: { is_default?: boolean } = {}) => chosen && data.parsed && replace.mutate({ set: chosen, name: newName.trim() || chosen.name, data: data.parsed, ...more });
  const newButton = canWrite && <button type="button" className="button" disabled={isBusy} onClick={() => make.mutate()}>{texts.datasets.new}</button>;
  if (chosen === undefined) {
    return (
      <>
        {problem && <ProblemBox problem={problemOf(problem)} />}
        <div className="empty"><h2>{texts.datasets.none}</h2><p>{texts.datasets.noneLead}</p>{newButton}</div>
      </>
    );
  }
  return (
    <div className="source-bar">
      <select className="input" aria-label={texts.datasets.choose} value={chosen.id} onChange={(event) => { setName(null); onChoose(event.target.value); }}>
        {sets.map((each) => <option key={each.id} value={each.id}>{each.name}{each.is_default ? ` (${texts.datasets.isDefault})` : ''}</option>)}
      </select>
      {newButton}
      {canWrite && (
        <>
          <input className="input" aria-label={texts.datasets.name} maxLength={NAME_LENGTH} value={newName} onChange={(event) => setName(event.target.value)} />
          <button type="button" className="button" disabled={!isChanged || fault !== undefined || isBusy || !data.parsed} onClick={() => save()}>{texts.datasets.save}</button>
          {!chosen.is_default && <button type="button" className="link" disabled={isBusy || !data.parsed} onClick={() => save({ is_default: true })}>{texts.datasets.makeDefault}</button>}
          <button type="button" className="link danger-link" disabled={isBusy} onClick={() => dialog.current?.showModal()}>{texts.datasets.delete}</button>
        </>
      )}
      {problem && <ProblemBox problem={problemOf(problem)} />}
      <dialog ref={dialog} className="dialog" aria-labelledby={title}>
        <div className="dialog-body">
          <h2 id={title}>{texts.datasets.deleteTitle(chosen.name)}</h2>
          <p>{texts.datasets.deleteLead}</p>
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.template.keep}</button>
            <button type="button" className="button danger" onClick={() => { dialog.current?.close(); remove.mutate(chosen); }}>{texts.datasets.delete}</button>
          </p>
        </div>
      </dialog>
    </div>
  );
}
