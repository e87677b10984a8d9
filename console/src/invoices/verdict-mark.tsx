import type { components } from 'contract';

type Verdict = components['schemas']['ConformanceStatus'];

const SHAPES: Record<Verdict, string> = { passed: 'M2.500 6.500 5 9l4.500-5.500', failed: 'M3 3l6 6M9 3 3 9', unavailable: 'M2.500 6h7' };

/** The shape of a verdict, beside words that say it. */
export function VerdictMark({ status }: { status: Verdict }) {
  return <svg className={`verdict-mark ${status}`} viewBox="0 0 12 12" aria-hidden="true"><path d={SHAPES[status]} /></svg>;
}
