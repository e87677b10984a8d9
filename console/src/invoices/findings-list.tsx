import { type KeyboardEvent, useEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { WithCode } from '../ui/with-code.tsx';
import { fieldAt, innerPath, shownPath } from './fields.ts';
import type { ShownFinding } from './findings.ts';

type Props = { findings: readonly ShownFinding[]; selected: number | null; onSelect: (finding: ShownFinding) => void };

/** Findings as cards; `j` and `k`, or the arrow keys, go from one to the next. */
export function FindingsList({ findings, selected, onSelect }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const onKeys = (event: KeyboardEvent) => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const next = findings[Math.max(0, Math.min(findings.length - 1, (selected ?? 0) - 1 + step))];
    if (!next) return;
    onSelect(next);
    list.current?.querySelectorAll<HTMLElement>('.finding')[next.number - 1]?.focus();
  };
  if (findings.length === 0) return <p className="finding-none">{texts.invoices.noFindings}</p>;
  return (
    <ol className="findings" ref={list} onKeyDown={onKeys}>
      {findings.map((finding) => (
        <li key={finding.number}>
          <button type="button" className={`finding ${finding.level}`} aria-current={finding.number === selected} onClick={() => onSelect(finding)}>
            <Card finding={finding} />
          </button>
        </li>
      ))}
    </ol>
  );
}

function Card({ finding }: { finding: ShownFinding }) {
  const { rule, message, level, subject, count, location } = finding;
  const path = innerPath(finding.path ?? '');
  const [plain, change] = texts.invoiceRules[rule] ?? [];
  const field = path === '' ? null : fieldAt(path);
  return (
    <>
      <span className="finding-head">
        <b className={`finding-level ${level}`}>{texts.invoices.levels[level]}</b>
        <code className="finding-rule">{rule}</code>
        {texts.invoices.subjects[subject] !== '' && <span>{texts.invoices.subjects[subject]}</span>}
        {count > 1 && <span>{texts.invoices.times(count)}</span>}
      </span>
      <span className="finding-message"><WithCode text={message} /></span>
      {plain && <span className="finding-plain">{plain}</span>}
      {change && <span className="finding-change"><b>{texts.invoices.toChange}</b> {change}</span>}
      <span className="finding-place">
        {path === '' ? (location === '' ? texts.invoices.wholeDocument : <code>{location}</code>) : <>{shownPath(path)}{field?.term && <code>{field.term}</code>}</>}
      </span>
    </>
  );
}
