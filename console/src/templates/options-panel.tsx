import { useCallback } from 'react';
import { OptionsForm, withValue } from '../playground/options-form.tsx';
import { texts } from '../texts.ts';
import { optionsOf, type Source, withOptions } from './source.ts';

const FORMATS = ['pdf', 'png', 'jpeg', 'webp', 'html', 'xml'] as const;

type Props = { source: Source; canEdit: boolean; onChange: (next: (source: Source) => Source) => void };

/** The defaults for renders of the template: the format, and the options as in the playground. */
export function OptionsPanel({ source, canEdit, onChange }: Props) {
  const options = optionsOf(source);
  const set = useCallback((path: string, value: unknown) => {
    onChange((before) => withOptions(before, withValue(optionsOf(before), path, value)));
  }, [onChange]);
  const format = FORMATS.find((each) => each === options.output_format) ?? 'pdf';
  const form = { format, output: options, onChange: set };
  return (
    <fieldset className="options-frame" disabled={!canEdit}>
      <div className="option">
        <div className="option-head"><label htmlFor="output-format">{texts.renders.columns.format}</label></div>
        <select id="output-format" className="input" value={format} onChange={(event) => set('output_format', event.target.value === 'pdf' ? undefined : event.target.value)}>
          {FORMATS.map((each) => <option key={each}>{each}</option>)}
        </select>
      </div>
      <OptionsForm {...form} />
    </fieldset>
  );
}
