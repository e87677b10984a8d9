import { Link } from '@tanstack/react-router';
import { texts } from '../texts.ts';

/** The two views of invoices. */
export function Modes({ mode }: { mode: 'check' | 'make' }) {
  return (
    <nav className="segments modes" aria-label={texts.invoices.title}>
      <Link to="/invoices" aria-current={mode === 'check' ? 'page' : undefined}>{texts.invoices.modes.check}</Link>
      <Link to="/invoices/new" aria-current={mode === 'make' ? 'page' : undefined}>{texts.invoices.modes.make}</Link>
    </nav>
  );
}
