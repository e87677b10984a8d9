import { useRef, useState } from 'react';
import type { Problem } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { shownBytes } from '../ui/format.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { addFiles, type Asset, isGone, MAX_ASSETS, MAX_BYTES, referenceTo } from './assets.ts';

type Change = (next: (assets: Asset[]) => Asset[]) => void;

/** What adding files does, and what it has refused. */
export function useAssets(assets: Asset[], change: Change) {
  const [refused, setRefused] = useState<string[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAdding, setAdding] = useState(false);
  const latest = useRef(assets);
  latest.current = assets;
  const last = useRef<Promise<void>>(Promise.resolve());

  // One after another: the bounds hold for all of them.
  const add = (files: readonly File[]) => {
    last.current = last.current.then(async () => {
      setAdding(true);
      const before = latest.current;
      const added = await addFiles(before, files);
      const fresh = added.assets.filter((each) => !before.includes(each));
      change((now) => [...now.filter(({ path }) => !fresh.some((each) => each.path === path)), ...fresh]);
      setRefused(added.refused);
      setProblem(added.problem);
      setAdding(false);
    });
  };
  return { add, refused, problem, isAdding };
}

export type Adding = ReturnType<typeof useAssets>;

type Props = { assets: Asset[]; change: Change; adding: Adding; onInsert: (text: string) => void };

/** Files beside the document: a list, and a way to add some. */
export function AssetsTab({ assets, change, adding, onInsert }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const all = assets.reduce((sum, { bytes }) => sum + bytes, 0);
  const rename = (number: number, path: string) => change((now) => now.map((each, at) => (at === number ? { ...each, path } : each)));
  return (
    <div className="assets">
      <div className="assets-head">
        <button type="button" className="button" onClick={() => input.current?.click()}>{texts.assets.add}</button>
        <span className="quiet">{adding.isAdding ? texts.assets.adding : texts.assets.used(assets.length, MAX_ASSETS, shownBytes(all), shownBytes(MAX_BYTES))}</span>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={texts.assets.add}
          onChange={(event) => { adding.add([...(event.target.files ?? [])]); event.target.value = ''; }}
        />
      </div>
      {adding.problem && <ProblemBox problem={adding.problem} />}
      {adding.refused.length > 0 && <div role="alert"><ul className="assets-refused">{adding.refused.map((text) => <li key={text}>{text}</li>)}</ul></div>}
      {assets.length === 0 && <p className="pane-empty">{texts.assets.none}</p>}
      <ul className="asset-list">
        {assets.map((asset, number) => (
          // The name is edited in place; its row stays the same.
          <li key={number}>
            <input className="asset-path mono" aria-label={texts.assets.path} value={asset.path} maxLength={255} spellCheck={false} onChange={(event) => rename(number, event.target.value)} />
            <span className="asset-size">{shownBytes(asset.bytes)}</span>
            <button type="button" className="link" onClick={() => onInsert(referenceTo(asset))}>{texts.assets.insert}</button>
            <button type="button" className="link" aria-label={texts.assets.removeNamed(asset.path)} onClick={() => change((now) => now.filter((each) => each !== asset))}>{texts.assets.remove}</button>
            {isGone(asset) && <p className="option-fault">{texts.assets.gone}</p>}
          </li>
        ))}
      </ul>
    </div>
  );
}
