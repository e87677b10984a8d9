import './deliveries.css';
import { Link, Outlet } from '@tanstack/react-router';
import { useRights } from '../api/account.ts';
import { texts } from '../texts.ts';
import { TABS } from './tabs.ts';

/** The ways by which documents leave: one tab each, of those that the key may read. */
export function Deliveries() {
  const { can } = useRights();
  return (
    <div className="deliveries">
      <header className="deliveries-head">
        <h1>{texts.deliveries.title}</h1>
        <nav className="tab-list" aria-label={texts.deliveries.title}>
          {TABS.filter(({ scopes }) => scopes.some(can)).map(({ to, name }) => (
            <Link key={to} to={to} className="tab" activeProps={{ 'data-state': 'active' }}>{texts.deliveries.tabs[name]}</Link>
          ))}
        </nav>
      </header>
      <Outlet />
    </div>
  );
}
