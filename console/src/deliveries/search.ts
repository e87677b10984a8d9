import { one } from '../playground/search.ts';

export const DELIVERY_STATUSES = ['pending', 'retrying', 'succeeded', 'failed', 'canceled'] as const;
export const SEND_STATUSES = ['pending', 'sending', 'retrying', 'sent', 'sandboxed', 'skipped', 'failed', 'unknown', 'canceled'] as const;

function words<Name extends string>(names: readonly Name[], given: Record<string, unknown>): { [_ in Name]?: string } {
  return Object.fromEntries(names.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  })) as { [_ in Name]?: string };
}

export type WebhooksSearch = { status?: (typeof DELIVERY_STATUSES)[number]; endpoint_id?: string; render_id?: string };

export function webhooksSearch(given: Record<string, unknown>): WebhooksSearch {
  return { ...one('status', DELIVERY_STATUSES, given.status), ...words(['endpoint_id', 'render_id'], given) };
}

export type EndpointSearch = { status?: (typeof DELIVERY_STATUSES)[number] };

export function endpointSearch(given: Record<string, unknown>): EndpointSearch {
  return one('status', DELIVERY_STATUSES, given.status);
}

export type DeliverySearch = { attempt?: number };

export function deliverySearch(given: Record<string, unknown>): DeliverySearch {
  const attempt = Number(given.attempt);
  return Number.isInteger(attempt) && attempt > 0 ? { attempt } : {};
}

export type SendsSearch = { status?: (typeof SEND_STATUSES)[number]; render_id?: string; batch_id?: string; rule_id?: string };

export function sendsSearch(given: Record<string, unknown>): SendsSearch {
  return { ...one('status', SEND_STATUSES, given.status), ...words(['render_id', 'batch_id', 'rule_id'], given) };
}

export type RulesSearch = { template_id?: string };

export function rulesSearch(given: Record<string, unknown>): RulesSearch {
  return words(['template_id'], given);
}

export const MAIL_WIDTHS = [640, 360] as const;
export const MAIL_SCHEMES = ['light', 'dark'] as const;
export const MAIL_VIEWS = ['mail', 'html', 'text'] as const;

/** A rule: the template of a new one, and how its email is looked at. */
export type RuleSearch = {
  template_id?: string;
  width?: (typeof MAIL_WIDTHS)[number];
  scheme?: (typeof MAIL_SCHEMES)[number];
  view?: (typeof MAIL_VIEWS)[number];
};

export function ruleSearch(given: Record<string, unknown>): RuleSearch {
  return {
    ...words(['template_id'], given),
    ...one('width', MAIL_WIDTHS, given.width),
    ...one('scheme', MAIL_SCHEMES, given.scheme),
    ...one('view', MAIL_VIEWS, given.view),
  };
}
