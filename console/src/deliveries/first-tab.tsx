import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { accountOf, useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { texts } from '../texts.ts';
import { TABS } from './tabs.ts';

/** `/deliveries`: the first tab that the key may open. */
export function FirstTab() {
  const { key } = useKey();
  const { can } = useRights();
  // What the key may do is not known before.
  if (useQuery(accountOf(key ?? '')).isPending) return null;
  const tab = TABS.find(({ scopes }) => scopes.some(can));
  if (tab) return <Navigate to={tab.to} replace />;
  return <p className="pane-note">{texts.key.noScope(TABS.flatMap(({ scopes }) => scopes).join(', '))}</p>;
}
