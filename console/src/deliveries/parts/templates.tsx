import { queryOptions, useQuery } from '@tanstack/react-query';
import type { components } from 'contract';
import { useRights } from '../../api/account.ts';
import { api, dataOf } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { ChoiceField, TextField } from './form.tsx';
import { texts } from '../../texts.ts';

type Template = components['schemas']['Template'];

const MOST = 100;

/** The newest templates, as a choice. */
export function templates(key: string) {
  return queryOptions({
    queryKey: ['templates', key, 'newest'],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates', { params: { query: { limit: MOST } }, signal })),
  });
}

/** Names of templates by their ids; empty for a key that may not read them. */
export function useTemplates(): readonly Template[] {
  const { key } = useKey();
  const { can } = useRights();
  return useQuery({ ...templates(key ?? ''), enabled: can('templates:read') }).data?.data ?? [];
}

/** A template by its name, or by its id if the key may not list them. */
export function TemplateField({ value, onChange, pointer = '/template_id' }: { value: string; onChange: (id: string) => void; pointer?: string }) {
  const { key } = useKey();
  const { can } = useRights();
  const isListed = can('templates:read');
  const found = useQuery({ ...templates(key ?? ''), enabled: isListed });
  const all = found.data?.data ?? [];
  const label = texts.deliveries.links.template;
  if (!isListed || found.error) return <TextField label={label} pointer={pointer} placeholder="tpl_…" isMono isRequired value={value} onChange={onChange} />;
  const others = value !== '' && !all.some(({ id }) => id === value) ? [{ value, label: value }] : [];
  const values = [{ value: '', label: texts.deliveries.emails.chooseTemplate }, ...all.map(({ id, name }) => ({ value: id, label: name })), ...others];
  return <ChoiceField label={label} pointer={pointer} value={value} values={values} onChange={onChange} />;
}
