import type { useRights } from '../api/account.ts';

type Rights = ReturnType<typeof useRights>;

/** The views of the rail; `scopes`: with one of them a key may open the view. */
const VIEWS = [
  { to: '/playground', name: 'playground', scopes: ['render:write'] },
  { to: '/templates', name: 'templates', scopes: ['templates:read'] },
  { to: '/renders', name: 'renders', scopes: ['renders:read'] },
  { to: '/batches', name: 'batches', scopes: ['renders:read'] },
  { to: '/deliveries', name: 'deliveries', scopes: ['webhooks:read', 'email:read', 'storage:read', 'signed_links:read'] },
  { to: '/invoices', name: 'invoices', scopes: ['render:write'] },
  { to: '/tools', name: 'tools', scopes: ['render:write'] },
  { to: '/usage', name: 'usage', scopes: ['account:read'] },
] as const;

export type View = (typeof VIEWS)[number];

/** The views that the key may open, in the order of the rail. */
export function viewsFor({ can }: Pick<Rights, 'can'>): View[] {
  return VIEWS.filter(({ scopes }) => scopes.some(can));
}
