import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { texts } from '../texts.ts';
import { moreOf, type Options } from './request.ts';
import { versionsOf } from './template-queries.ts';

const FORMATS = ['pdf', 'png', 'jpeg', 'webp', 'html'] as const;

type Props = { template: string | undefined; options: Options; onChange: (options: Options) => void };

/** Version, output, delivery and combined files of a batch. */
export function OptionFields({ template, options, onChange }: Props) {
  const id = useId();
  const { key } = useKey();
  const { can, account } = useRights();
  const versions = useQuery({ ...versionsOf(key ?? '', template ?? ''), enabled: template !== undefined && can('templates:read') });
  const set = (change: Partial<Options>) => onChange({ ...options, ...change });
  const isBroken = moreOf(options.more) === null;
  return (
    <div className="option-fields">
      <label className="field">
        <span>{texts.newBatch.reference}</span>
        <input className="input" maxLength={255} placeholder={texts.newBatch.referenceHint} value={options.reference} onChange={(event) => set({ reference: event.target.value })} />
      </label>
      <label className="field">
        <span>{texts.newBatch.version}</span>
        <select className="input" value={String(options.version)} onChange={(event) => set({ version: event.target.value === 'live' ? 'live' : Number(event.target.value) })}>
          <option value="live">{texts.newBatch.live}</option>
          {versions.data?.data.map(({ number }) => <option key={number} value={number}>{number}</option>)}
        </select>
      </label>
      <label className="field">
        <span>{texts.newBatch.format}</span>
        <select className="input" value={options.format} onChange={(event) => set({ format: event.target.value })}>
          <option value="">{texts.newBatch.templateFormat}</option>
          {FORMATS.map((format) => <option key={format}>{format}</option>)}
        </select>
      </label>
      <label className="field">
        <span>{texts.newBatch.retention}</span>
        <input className="input number" type="number" min={1} max={36500} placeholder="30" value={options.retentionDays} onChange={(event) => set({ retentionDays: event.target.value })} />
      </label>
      <fieldset className="field wide">
        <legend>{texts.newBatch.combine}</legend>
        <label className="check"><input type="checkbox" checked={options.merged} onChange={(event) => set({ merged: event.target.checked })} /> {texts.newBatch.merged}</label>
        <label className="check"><input type="checkbox" checked={options.zip} onChange={(event) => set({ zip: event.target.checked })} /> {texts.newBatch.zip}</label>
      </fieldset>
      {account && <p className="wide quiet">{texts.newBatch.concurrency(account.limits.bulk_concurrency)}</p>}
      <details className="wide">
        <summary>{texts.newBatch.more}</summary>
        <label className="hidden" htmlFor={id}>{texts.newBatch.more}</label>
        <textarea id={id} className="input mono" rows={5} spellCheck={false} aria-invalid={isBroken || undefined} aria-describedby={`${id}-hint`} placeholder={texts.newBatch.moreExample} value={options.more} onChange={(event) => set({ more: event.target.value })} />
        <p id={`${id}-hint`} className={isBroken ? 'option-fault' : 'quiet'}>{isBroken ? texts.newBatch.moreBroken : texts.newBatch.moreHint}</p>
      </details>
    </div>
  );
}
