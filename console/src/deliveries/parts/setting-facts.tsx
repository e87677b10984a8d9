import { Fragment } from 'react';
import { texts } from '../../texts.ts';
import { shownBytes, shownNumber } from '../../ui/format.ts';
import { labelOf } from '../../ui/label.ts';

const BYTES = '_bytes';

/** The settings of a provider as facts; what has no value is left out. */
export function SettingFacts({ config }: { config: Record<string, string | number | boolean | null> }) {
  return Object.entries(config).filter(([, value]) => value !== null && value !== '').sort().map(([name, value]) => (
    <Fragment key={name}>
      <dt>{labelOf(name.replace(BYTES, ''))}</dt>
      <dd>{shown(name, value)}</dd>
    </Fragment>
  ));
}

function shown(name: string, value: string | number | boolean | null) {
  if (typeof value === 'boolean') return value ? texts.render.yes : texts.render.no;
  if (typeof value === 'number') return name.endsWith(BYTES) ? shownBytes(value) : name === 'port' ? value : shownNumber(value);
  return <code>{value}</code>;
}
