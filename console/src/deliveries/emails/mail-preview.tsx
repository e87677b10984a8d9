import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { problemOf } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { MAIL_SCHEMES, MAIL_VIEWS, MAIL_WIDTHS, type RuleSearch } from '../search.ts';
import { MailFrame, remotePictures } from './mail-frame.tsx';
import { datasetsOf, type Preview, previewOf, type RuleSpec } from './queries.ts';
import { useSettled } from '../../ui/settled.ts';

const words = texts.deliveries.emails;

type Props = { templateId: string; rule: RuleSpec; onPlace: (field: string, line: number | null, column: number | null) => void };

/** The email of a rule, which follows what is typed: as a mail in two widths and schemes, and as source. */
export function MailPreview({ templateId, rule, onPlace }: Props) {
  const search = useSearch({ from: '/deliveries/emails/rules/$rule' });
  const navigate = useNavigate({ from: '/deliveries/emails/rules/$rule' });
  const { key } = useKey();
  const { can } = useRights();
  const [dataset, setDataset] = useState<string | null>(null);
  const datasets = useQuery({ ...datasetsOf(key ?? '', templateId), enabled: templateId !== '' && can('templates:read') });
  const preview = useQuery(previewOf(key ?? '', templateId, useSettled(rule), dataset));
  const { width = 640, scheme = 'light', view = 'mail' } = search;
  const set = (next: RuleSearch) => void navigate({ search: { ...search, ...next }, replace: true });
  return (
    <section className="mail" aria-label={words.preview}>
      <div className="mail-bar">
        <Segments label={words.shownAs} values={MAIL_VIEWS} value={view} word={(each) => words.views[each]} onChange={(next) => set({ view: next })} />
        {view === 'mail' && <Segments label={words.width} values={MAIL_WIDTHS} value={width} word={words.previewOf} onChange={(next) => set({ width: next })} />}
        {view === 'mail' && <Segments label={words.scheme} values={MAIL_SCHEMES} value={scheme} word={(each) => words.schemes[each]} onChange={(next) => set({ scheme: next })} />}
        <span className="spacer" />
        {(datasets.data?.data.length ?? 0) > 1 && (
          <select className="input" aria-label={words.dataset} value={dataset ?? ''} onChange={(event) => setDataset(event.target.value || null)}>
            <option value="">{words.defaultData}</option>
            {datasets.data?.data.map((each) => <option key={each.id} value={each.id}>{each.name}</option>)}
          </select>
        )}
      </div>
      {preview.error && <ProblemBox problem={problemOf(preview.error)} />}
      {preview.data && <Mail preview={preview.data} view={view} width={width} scheme={scheme} onPlace={onPlace} />}
    </section>
  );
}

type MailProps = { preview: Preview; view: (typeof MAIL_VIEWS)[number]; width: number; scheme: 'light' | 'dark'; onPlace: Props['onPlace'] };

function Mail({ preview, view, width, scheme, onPlace }: MailProps) {
  const { error } = preview;
  const remote = remotePictures(preview.html);
  const to = preview.to.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ');
  const copies = [...preview.cc, ...preview.bcc].map(({ email }) => email).join(', ');
  return (
    <>
      {error && (
        <div className="problem" role="alert">
          <h2>{error.message}</h2>
          <p className="problem-foot">
            <code>{error.code}</code>
            {error.field && <button type="button" className="link" onClick={() => onPlace(error.field ?? '', error.line, error.column)}>{words.place(error.field, error.line)}</button>}
          </p>
        </div>
      )}
      <div className="mail-paper" style={view === 'mail' ? { maxWidth: width } : {}}>
        <div className="mail-head">
          <h3>{preview.subject || words.noSubject}</h3>
          <p>{preview.from_name ? `${preview.from_name} <${preview.from_email}>` : preview.from_email}</p>
          <p>{words.to}: {to || words.nobody}{copies && `, ${copies}`}</p>
        </div>
        {preview.provider_template && <p className="none-line">{words.providerMail(preview.provider_template.id)}</p>}
        {!preview.provider_template && view === 'mail' && (preview.html === '' ? <p className="none-line">{words.emptyMail}</p> : <MailFrame html={preview.html} scheme={scheme} />)}
        {!preview.provider_template && view !== 'mail' && <pre className="mail-source" tabIndex={0} aria-label={words.views[view]}>{preview[view]}</pre>}
        <ul className="mail-notes">
          {preview.skip_reason && <li>{words.skips}</li>}
          {preview.recipient_errors.map((entry) => <li key={entry}>{words.notAnAddress(entry)}</li>)}
          {view === 'mail' && remote > 0 && <li>{words.remote(remote)}</li>}
          {preview.attachments.length > 0 && <li>{words.attach}: {preview.attachments.map((each) => `${each.format} ${words.attachmentModes[each.mode]}`).join(', ')}</li>}
        </ul>
      </div>
    </>
  );
}

type SegmentsProps<Value> = { label: string; values: readonly Value[]; value: Value; word: (value: Value) => string; onChange: (value: Value) => void };

function Segments<Value extends string | number>({ label, values, value, word, onChange }: SegmentsProps<Value>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {values.map((each) => <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>{word(each)}</button>)}
    </div>
  );
}
