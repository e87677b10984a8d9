import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useRights } from '../api/account.ts';
import { api, dataOf } from '../api/client.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { CopyAs } from '../ui/copy.tsx';
import { shownNumber } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { programsOf } from '../ui/programs.ts';
import { type Batch, isFinal } from './queries.ts';

/** What can be done with a batch: cancel it, or render what failed again. */
export function Actions({ batch }: { batch: Batch }) {
  const { can, isLive } = useRights();
  const { key } = useKey();
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const params = { path: { id: batch.id } };
  const change = useMutation({
    mutationFn: (act: 'cancel' | 'retry') => dataOf(
      act === 'cancel' ? api.POST('/v1/batches/{id}/cancel', { params }) : api.POST('/v1/batches/{id}/retry-failed', { params }),
    ),
    onSuccess: (changed) => queries.setQueryData(['batch', key, batch.id], changed),
    onSettled: () => queries.invalidateQueries({ queryKey: ['batch', key, batch.id] }),
  });
  const mayChange = can('render:write');
  const isRetriable = isFinal(batch) && batch.status !== 'canceled' && batch.failed > 0;
  return (
    <>
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/batches/${batch.id}` })} />
      {!isFinal(batch) && mayChange && (
        <button type="button" className="button danger" disabled={change.isPending} onClick={() => dialog.current?.showModal()}>{texts.batch.cancel}</button>
      )}
      {isRetriable && mayChange && (
        <button type="button" className={isLive && !batch.test ? 'button primary live' : 'button primary'} disabled={change.isPending} onClick={() => change.mutate('retry')}>
          {texts.batch.retry(shownNumber(batch.failed))}
        </button>
      )}
      {change.error && <ProblemBox problem={problemOf(change.error)} />}
      <dialog ref={dialog} className="dialog" aria-labelledby="cancel-title">
        <div className="dialog-body">
          <h2 id="cancel-title">{texts.batch.cancelTitle}</h2>
          <p>{texts.batch.cancelLead(shownNumber(batch.pending))}</p>
          <p className="dialog-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>{texts.batch.keep}</button>
            <button type="button" className="button danger" onClick={() => { dialog.current?.close(); change.mutate('cancel'); }}>{texts.batch.cancel}</button>
          </p>
        </div>
      </dialog>
    </>
  );
}
