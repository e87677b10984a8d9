import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRights } from '../api/account.ts';
import { texts } from '../texts.ts';
import { BATCH_STATUSES, type BatchesSearch } from './search.ts';

/** The filters of the list, which the address holds. */
export function Filters({ search }: { search: BatchesSearch }) {
  const navigate = useNavigate();
  const { isLive } = useRights();
  const set = (change: { [_ in keyof BatchesSearch]?: BatchesSearch[_] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ to: '/batches', search: Object.fromEntries(next) as BatchesSearch, replace: true });
  };
  return (
    <form className="filters" role="search" aria-label={texts.renders.filters} onSubmit={(event) => event.preventDefault()}>
      <Words label={texts.batches.reference} value={search.reference} onChange={(reference) => set({ reference })} />
      <fieldset className="segments">
        <legend className="hidden">{texts.batches.columns.status}</legend>
        {BATCH_STATUSES.map((status) => (
          <button key={status} type="button" aria-pressed={search.status === status} onClick={() => set({ status: search.status === status ? undefined : status })}>
            {texts.batches.status[status]}
          </button>
        ))}
      </fieldset>
      <Words label={texts.batches.template} hint="tpl_…" value={search.template_id} onChange={(template_id) => set({ template_id })} />
      {isLive && (
        <label className="filter">
          <span>{texts.renders.fields.test}</span>
          <select className="input" value={search.test === undefined ? '' : String(search.test)} onChange={(event) => set({ test: event.target.value === '' ? undefined : event.target.value === 'true' })}>
            <option value="">{texts.renders.any}</option>
            <option value="false">{texts.renders.liveOnly}</option>
            <option value="true">{texts.renders.testOnly}</option>
          </select>
        </label>
      )}
      {Object.keys(search).length > 0 && (
        <button type="button" className="link" onClick={() => void navigate({ to: '/batches', search: {} })}>{texts.renders.clear}</button>
      )}
    </form>
  );
}

type WordsProps = { label: string; hint?: string; value: string | undefined; onChange: (value: string) => void };

/** A text that takes effect when it is left or sent, so that not each letter is a request. */
function Words({ label, hint, value = '', onChange }: WordsProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const done = () => text !== value && onChange(text);
  return (
    <label className="filter">
      <span>{label}</span>
      <input className="input" placeholder={hint} value={text} onChange={(event) => setText(event.target.value)} onBlur={done} onKeyDown={(event) => event.key === 'Enter' && done()} />
    </label>
  );
}
