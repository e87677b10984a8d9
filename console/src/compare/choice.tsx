import type { components } from 'contract';
import { texts } from '../texts.ts';
import type { Template, TemplateVersion, Wanted } from './queries.ts';
import { type CompareSearch, type Version, versionOf } from './search.ts';

type Known = { template: Template; versions: TemplateVersion[]; datasets: components['schemas']['DatasetSummary'][] };
type Props = { known: Known; wanted: Wanted; onChange: (change: Pick<CompareSearch, 'from' | 'to' | 'dataset'>) => void };

/** Both versions, and the data that they are made of. */
export function Choice({ known, wanted, onChange }: Props) {
  const { from, to, dataset } = wanted;
  const usual = known.datasets.find((each) => each.is_default);
  return (
    <form className="cmp-choice" aria-label={texts.compare.choice} onSubmit={(event) => event.preventDefault()}>
      <VersionField label={texts.compare.from} value={from} known={known} onChange={(version) => onChange({ from: version, to })} />
      <button type="button" className="button" onClick={() => onChange({ from: to, to: from })}>{texts.compare.swap}</button>
      <VersionField label={texts.compare.to} value={to} known={known} onChange={(version) => onChange({ from, to: version })} />
      <label className="cmp-field">
        <span>{texts.compare.dataset}</span>
        <select className="input" value={dataset ?? usual?.id ?? ''} disabled={usual === undefined} onChange={(event) => onChange({ from, to, dataset: event.target.value })}>
          {usual === undefined && <option value="">{texts.compare.noDataset}</option>}
          {dataset !== undefined && !known.datasets.some((each) => each.id === dataset) && <option value={dataset}>{dataset}</option>}
          {known.datasets.map((each) => <option key={each.id} value={each.id}>{each.is_default ? texts.compare.defaultDataset(each.name) : each.name}</option>)}
        </select>
      </label>
    </form>
  );
}

type FieldProps = { label: string; value: Version; known: Known; onChange: (version: Version) => void };

function VersionField({ label, value, known, onChange }: FieldProps) {
  const { live_version: live } = known.template;
  const isOlder = typeof value === 'number' && !known.versions.some((each) => each.number === value);
  return (
    <label className="cmp-field">
      <span>{label}</span>
      <select className="input" value={value} onChange={(event) => onChange(versionOf(event.target.value) ?? value)}>
        <option value="draft">{texts.compare.draft}</option>
        {(live || value === 'live') && <option value="live">{texts.compare.live(live?.number ?? null)}</option>}
        {known.versions.map((each) => <option key={each.number} value={each.number}>{texts.compare.version(each.number, each.note)}</option>)}
        {isOlder && <option value={value}>{texts.compare.version(value, null)}</option>}
      </select>
    </label>
  );
}
