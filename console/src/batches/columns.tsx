import { useId } from 'react';
import { texts } from '../texts.ts';
import { NAME_COLUMNS, type Paths, type Source } from './source.ts';

const SAMPLES = 3;

type Props = {
  source: Source & { kind: 'csv' };
  paths: Paths;
  /** Paths that the template is known to take. */
  known: readonly string[];
  onChange: (paths: Paths) => void;
};

/** The columns of a file with their first values, and the path into the data that each fills. */
export function Columns({ source, paths, known, onChange }: Props) {
  const list = useId();
  const filled = new Set(Object.values(paths));
  const missing = known.filter((path) => !filled.has(path));
  return (
    <>
      <div className="columns-frame">
        <table className="plain columns">
          <caption className="hidden">{texts.newBatch.columns}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.newBatch.column}</th>
              <th scope="col">{texts.newBatch.values}</th>
              <th scope="col">{texts.newBatch.path}</th>
            </tr>
          </thead>
          <tbody>
            {source.columns.map((column, at) => (
              <tr key={column}>
                <th scope="row">{column}</th>
                <td className="samples">{source.rows.slice(0, SAMPLES).map((row, number) => <span key={number}>{row[at] ?? ''}</span>)}</td>
                <td>
                  {NAME_COLUMNS.has(column) ? <span className="quiet">{texts.newBatch.names[column as '_filename' | '_reference']}</span> : (
                    <input className="input mono" list={list} placeholder={texts.newBatch.unused} aria-label={texts.newBatch.pathOf(column)} value={paths[column] ?? ''} onChange={(event) => onChange({ ...paths, [column]: event.target.value.trim() })} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <datalist id={list}>{known.map((path) => <option key={path} value={path} />)}</datalist>
      {missing.length > 0 && <p className="warn-note">{texts.newBatch.missing} {missing.slice(0, 20).map((path) => <code key={path}>{path}</code>)}{missing.length > 20 && ' …'}</p>}
      {!source.columns.includes('_filename') && <p className="quiet">{texts.newBatch.nameHint}</p>}
    </>
  );
}
