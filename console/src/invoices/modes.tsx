import { Link } from '@tanstack/react-router';
import { texts } from '../texts.ts';

/** The two views of invoices. */
export function Modes() {
  return (
    <nav className="segments modes" aria-label={texts.invoices.title}>
      <Link to="/invoices" activeOptions={{ exact: true, includeSearch: false }}>{texts.invoices.modes.check}</Link>
      <Link to="/invoices/new" activeOptions={{ exact: true, includeSearch: false }}>{texts.invoices.modes.make}</Link>
    </nav>
  );
}
