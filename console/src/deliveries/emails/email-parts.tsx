import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRights } from '../../api/account.ts';
import { texts } from '../../texts.ts';

const PARTS = [
  { to: '/deliveries/emails', name: 'sends', scope: 'renders:read' },
  { to: '/deliveries/emails/rules', name: 'rules', scope: 'email:read' },
  { to: '/deliveries/emails/connections', name: 'connections', scope: 'email:read' },
] as const;

/** The parts of the emails that the key may read, and what can be done in the one that is shown. */
export function EmailParts({ children }: { children?: ReactNode }) {
  const { can } = useRights();
  return (
    <div className="sub-tabs">
      <nav className="segments" aria-label={texts.deliveries.emails.title}>
        {PARTS.filter(({ scope }) => can(scope)).map(({ to, name }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/deliveries/emails', includeSearch: false }} activeProps={{ 'data-state': 'active' }}>{texts.deliveries.emails.parts[name]}</Link>
        ))}
      </nav>
      <span className="spacer" />
      {children}
    </div>
  );
}
