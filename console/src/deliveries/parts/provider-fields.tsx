import { texts } from '../../texts.ts';
import { labelOf } from '../../ui/label.ts';
import type { Provider, ProviderField } from '../provider-field.ts';
import { ChoiceField, TextField } from './form.tsx';

/** What is typed into fields, by their names. */
export type Typed = Record<string, string>;

const MANY_CHARACTERS = 4000;

/** The settings of a provider, as the contract has them. */
export function SettingFields({ provider, typed, onChange }: { provider: Provider; typed: Typed; onChange: (typed: Typed) => void }) {
  // What has to be given comes first.
  const fields = [...provider.settings].sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
  return fields.map((field) => <OneField key={field.name} field={field} typed={typed} onChange={onChange} />);
}

type CredentialProps = {
  provider: Provider;
  /** Which of the ways to log in. */
  way: number;
  typed: Typed;
  onWay: (way: number) => void;
  onChange: (typed: Typed) => void;
  hint?: string | undefined;
};

/** The credentials of a provider; nothing keeps them but the form. */
export function CredentialFields({ provider, way, typed, onWay, onChange, hint }: CredentialProps) {
  const ways = provider.credentials.map((fields, number) => ({ value: String(number), label: fields.map(({ name }) => labelOf(name)).join(', ') }));
  return (
    <fieldset className="fields">
      <legend>{texts.deliveries.credentials}</legend>
      {hint && <p className="field-hint">{hint}</p>}
      {ways.length > 1 && (
        <ChoiceField label={texts.deliveries.logInWith} pointer="/credentials" value={String(way)} values={ways} onChange={(value) => { onChange({}); onWay(Number(value)); }} />
      )}
      {provider.credentials[way]?.map((field) => (
        <OneField key={field.name} field={field} typed={typed} onChange={onChange} isSecret={!field.name.endsWith('_id')} isOptional />
      ))}
    </fieldset>
  );
}

type OneProps = { field: ProviderField; typed: Typed; onChange: (typed: Typed) => void; isSecret?: boolean; isOptional?: boolean };

function OneField({ field, typed, onChange, isSecret = false, isOptional = false }: OneProps) {
  const value = typed[field.name] ?? '';
  const change = (next: string) => onChange({ ...typed, [field.name]: next });
  const shared = { label: labelOf(field.name), hint: field.description, pointer: `/${field.path.replaceAll('.', '/')}`, value, onChange: change };
  if (field.kind === 'switch') {
    const values = [
      { value: '', label: texts.play.usual(field.usual === 'true' ? texts.play.on : texts.play.off) },
      { value: 'true', label: texts.play.on },
      { value: 'false', label: texts.play.off },
    ];
    return <ChoiceField {...shared} values={values} />;
  }
  if (field.kind === 'integer') {
    return <TextField {...shared} type="number" placeholder={field.usual} isRequired={field.isRequired} min={field.min} max={field.max} />;
  }
  const isLong = (field.maxLength ?? 0) > MANY_CHARACTERS;
  return <TextField {...shared} placeholder={field.usual} isRequired={field.isRequired && !isOptional} isMono maxLength={field.maxLength} {...(isLong ? { rows: 4 } : { isSecret })} />;
}

/** The members that were typed, as the API takes them; what is empty is left out, or null where that removes it. */
export function membersOf(fields: readonly ProviderField[], typed: Typed, isChange: boolean): Record<string, unknown> {
  return Object.fromEntries(fields.flatMap((field): [string, unknown][] => {
    const text = (typed[field.name] ?? '').trim();
    if (text === '') {
      if (!isChange || typed[field.name] === undefined) return [];
      return field.isNullable ? [[field.name, null]] : field.usual === undefined ? [[field.name, '']] : [[field.name, valueOf(field, field.usual)]];
    }
    return [[field.name, valueOf(field, text)]];
  }));
}

function valueOf(field: ProviderField, text: string): unknown {
  if (field.kind === 'integer') return Number(text);
  return field.kind === 'switch' ? text === 'true' : text;
}

/** The settings that a connection or destination has, as texts of the form. */
export function typedOf(config: Record<string, unknown>): Typed {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, value === null ? '' : String(value)]));
}
