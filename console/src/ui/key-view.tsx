import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { accountOf } from '../api/account.ts';
import { isKey, isLive, setKey } from '../api/key.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from './problem-box.tsx';
import { useTitle } from './title.ts';

/** The door: one field for the key. `ended` is why the key that was in use does not work any more. */
export function KeyView({ ended }: { ended: Problem | null }) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [isChecking, setChecking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useTitle(texts.key.title);

  const open = async (event: FormEvent) => {
    event.preventDefault();
    const key = text.trim();
    if (!isKey(key)) {
      setProblem({ title: texts.key.malformed, detail: '' });
      return;
    }
    setChecking(true);
    setProblem(null);
    try {
      await client.fetchQuery(accountOf(key));
      setKey(key);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setChecking(false);
  };

  const shown = problem ?? ended;
  const trimmed = text.trim();
  return (
    <main className={isKey(trimmed) && isLive(trimmed) ? 'door live' : 'door'}>
      <form className="door-form" onSubmit={(event) => void open(event)}>
        <p className="door-brand">{texts.name}</p>
        <h1>{ended ? texts.key.ended : texts.key.title}</h1>
        <p>{ended ? texts.key.endedLead : texts.key.lead}</p>
        <label htmlFor="key">{texts.key.label}</label>
        <input
          id="key"
          className="input mono"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="plt_test_…"
          value={text}
          autoFocus
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button primary" disabled={isChecking || trimmed === ''}>
          {isChecking ? texts.key.opening : texts.key.open}
        </button>
        {shown && <ProblemBox problem={shown} />}
        <p className="door-hint">{texts.key.hint} {texts.key.local}</p>
      </form>
    </main>
  );
}
