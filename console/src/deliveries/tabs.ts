/** The tabs; with one of its `scopes` a key may open one. */
export const TABS = [
  { to: '/deliveries/webhooks', name: 'webhooks', scopes: ['webhooks:read'] },
  { to: '/deliveries/emails', name: 'emails', scopes: ['email:read', 'renders:read'] },
  { to: '/deliveries/storage', name: 'storage', scopes: ['storage:read'] },
  { to: '/deliveries/links', name: 'links', scopes: ['signed_links:read'] },
] as const;
