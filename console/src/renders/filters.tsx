import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRights } from '../api/account.ts';
import { texts } from '../texts.ts';
import { FORMATS, INPUTS, type RendersSearch, SENDERS, STATUSES } from './search.ts';

const { fields } = texts.renders;
/** Filters that are shown when one of them is set, or on demand. */
const DEEP = ['source', 'test', 'metadata', 'template_id', 'batch_id', 'created_after', 'created_before', 'previews'] as const;

/** The filters of the list, which the address holds. */
export function Filters({ search }: { search: RendersSearch }) {
  const navigate = useNavigate();
  const { isLive } = useRights();
  const [isWanted, setOpen] = useState(false);
  const isOpen = isWanted || DEEP.some((name) => search[name] !== undefined);
  const set = (change: { [_ in keyof RendersSearch]?: RendersSearch[_] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ to: '/renders', search: Object.fromEntries(next) as RendersSearch, replace: true });
  };
  const toggle = (status: (typeof STATUSES)[number]) => {
    const chosen = search.status ?? [];
    const next = chosen.includes(status) ? chosen.filter((each) => each !== status) : [...chosen, status];
    set({ status: next.length > 0 ? next : undefined });
  };
  return (
    <form className="filters" role="search" aria-label={texts.renders.filters} onSubmit={(event) => event.preventDefault()}>
      <Words label={fields.reference} value={search.reference} onChange={(reference) => set({ reference })} />
      <fieldset className="segments">
        <legend className="hidden">{fields.status}</legend>
        {STATUSES.map((status) => (
          <button key={status} type="button" aria-pressed={search.status?.includes(status) ?? false} onClick={() => toggle(status)}>
            {texts.renders.status[status]}
          </button>
        ))}
      </fieldset>
      <Choice label={fields.output_format} values={FORMATS} value={search.output_format} onChange={(output_format) => set({ output_format })} />
      <Choice label={fields.input_type} values={INPUTS} value={search.input_type} onChange={(input_type) => set({ input_type })} />
      {!isOpen && <button type="button" className="link" onClick={() => setOpen(true)}>{texts.renders.moreFilters}</button>}
      {isOpen && <>
      <Choice label={fields.source} values={SENDERS} value={search.source} onChange={(source) => set({ source })} />
      {isLive && (
        <label className="filter">
          <span>{fields.test}</span>
          <select className="input" value={search.test === undefined ? '' : String(search.test)} onChange={(event) => set({ test: event.target.value === '' ? undefined : event.target.value === 'true' })}>
            <option value="">{texts.renders.any}</option>
            <option value="false">{texts.renders.liveOnly}</option>
            <option value="true">{texts.renders.testOnly}</option>
          </select>
        </label>
      )}
      <Words label={fields.metadata} hint={texts.renders.metadataHint} value={search.metadata} onChange={(metadata) => set({ metadata })} />
      <Words label={fields.template_id} hint="tpl_…" value={search.template_id} onChange={(template_id) => set({ template_id })} />
      <Words label={fields.batch_id} hint="bat_…" value={search.batch_id} onChange={(batch_id) => set({ batch_id })} />
      <Words label={fields.created_after} type="date" value={search.created_after} onChange={(created_after) => set({ created_after })} />
      <Words label={fields.created_before} type="date" value={search.created_before} onChange={(created_before) => set({ created_before })} />
      <label className="filter check">
        <input type="checkbox" checked={search.previews ?? false} onChange={(event) => set({ previews: event.target.checked || undefined })} />
        <span>{texts.renders.previews}</span>
      </label>
      </>}
      {Object.keys(search).length > 0 && (
        <button type="button" className="link" onClick={() => void navigate({ to: '/renders', search: {} })}>{texts.renders.clear}</button>
      )}
    </form>
  );
}

type ChoiceProps<Value> = { label: string; values: readonly Value[]; value: Value | undefined; onChange: (value: Value | undefined) => void };

function Choice<Value extends string>({ label, values, value, onChange }: ChoiceProps<Value>) {
  return (
    <label className="filter">
      <span>{label}</span>
      <select className="input" value={value ?? ''} onChange={(event) => onChange(values.find((each) => each === event.target.value))}>
        <option value="">{texts.renders.any}</option>
        {values.map((each) => <option key={each}>{each}</option>)}
      </select>
    </label>
  );
}

type WordsProps = { label: string; hint?: string; type?: string; value: string | undefined; onChange: (value: string) => void };

/** A text that takes effect when it is left or sent, so that not each letter is a request. */
function Words({ label, hint, type = 'text', value = '', onChange }: WordsProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const done = () => text !== value && onChange(text);
  return (
    <label className={type === 'date' ? 'filter wide' : 'filter'}>
      <span>{label}</span>
      <input
        className="input"
        type={type}
        placeholder={hint}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => event.key === 'Enter' && done()}
      />
    </label>
  );
}
