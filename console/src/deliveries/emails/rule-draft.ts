import type { components } from 'contract';
import type { Rule, RuleSpec } from './queries.ts';

export const FORMATS = ['pdf', 'png', 'jpeg', 'webp', 'html', 'xml', 'zip'] as const;
const TEXTS = ['condition', 'from_name', 'reply_to', 'to', 'cc', 'bcc', 'subject', 'html', 'text'] as const;

/** A rule as the form has it: all texts are there. */
export type RuleDraft = {
  name: string;
  connection_id: string;
  enabled: boolean;
  position: string;
  attachments: Rule['attachments'];
  attach_formats: readonly (typeof FORMATS)[number][];
  from_email: string;
  provider_id: string;
  provider_params: string;
} & { [_ in (typeof TEXTS)[number]]: string };

export function draftOf(rule: Rule | null, connectionId: string): RuleDraft {
  return {
    name: rule?.name ?? '',
    connection_id: rule?.connection_id ?? connectionId,
    enabled: rule?.enabled ?? true,
    position: rule ? String(rule.position) : '',
    attachments: rule?.attachments ?? 'attach_or_link',
    attach_formats: FORMATS.filter((each) => rule?.attach_formats.includes(each)),
    from_email: rule?.from_email ?? '',
    provider_id: rule?.provider_template ? String(rule.provider_template.id) : '',
    provider_params: rule?.provider_template?.params ?? '',
    ...(Object.fromEntries(TEXTS.map((name) => [name, rule?.[name] ?? ''])) as { [_ in (typeof TEXTS)[number]]: string }),
  };
}

/** The part of a draft that a preview and a test take. */
export function specOf(draft: RuleDraft): RuleSpec {
  const { name: _name, enabled: _enabled, position: _position, provider_id: id, provider_params: params, from_email, attach_formats, ...texts } = draft;
  return { ...texts, from_email: from_email || null, attach_formats: [...attach_formats], provider_template: id === '' ? null : { id: Number(id), params } };
}

/** A draft as it is saved. */
export function requestOf(draft: RuleDraft): components['schemas']['EmailRuleRequest'] {
  const { name, enabled, position } = draft;
  const spec = specOf(draft) as Omit<components['schemas']['EmailRuleRequest'], 'name'>;
  return { ...spec, name: name.trim(), enabled, ...(position === '' ? {} : { position: Number(position) }) };
}
