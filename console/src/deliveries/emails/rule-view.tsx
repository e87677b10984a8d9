import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { useRights } from '../../api/account.ts';
import { api, dataOf, done } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icons.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { WithCode } from '../../ui/with-code.tsx';
import { useCreateKey } from '../parts/create-key.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { CheckField, ChoiceField, Form, TextField } from '../parts/form.tsx';
import { Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { Refused } from '../parts/outcome.tsx';
import { MailPreview } from './mail-preview.tsx';
import { type Connection, connections, oneRule, type Rule } from './queries.ts';
import { draftOf, FORMATS, requestOf, type RuleDraft, specOf } from './rule-draft.ts';

const CodeEditor = lazy(() => import('../../editor/code-editor.tsx'));
const words = texts.deliveries.emails;
/** In place of the id of a rule that is not saved yet. */
const NEW = 'new';
/** The provider that has templates of its own. */
const WITH_TEMPLATES = 'brevo';
const WAYS = ['attach_or_link', 'attach', 'link', 'none'] as const;

/** One rule, or a new one: its fields at the left, its email at the right. */
export function RuleView() {
  const { rule: id } = useParams({ from: '/deliveries/emails/rules/$rule' });
  const { template_id: template = '' } = useSearch({ from: '/deliveries/emails/rules/$rule' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('email:read');
  const found = useQuery({ ...oneRule(key ?? '', id), enabled: isAllowed && id !== NEW });
  const senders = useQuery({ ...connections(key ?? ''), enabled: isAllowed });
  useTitle(found.data?.name ?? words.ruleTitle);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('email:read')}</p>;
  if (id === NEW && template === '') return <Navigate to="/deliveries/emails/rules" search={{}} replace />;
  const rule = id === NEW ? null : found.data;
  if (rule === undefined || !senders.data) {
    return <div className="deliveries-body"><Back template={template} /><Waiting query={rule === undefined ? found : senders} /></div>;
  }
  return <RuleEditor key={id} rule={rule} templateId={rule?.template_id ?? template} senders={senders.data.data} />;
}

function Back({ template }: { template: string }) {
  return <Link to="/deliveries/emails/rules" search={template === '' ? {} : { template_id: template }} className="back"><Icon name="back" />{words.rules}</Link>;
}

type EditorProps = { rule: Rule | null; templateId: string; senders: readonly Connection[] };

function RuleEditor({ rule, templateId, senders }: EditorProps) {
  const { can } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const createKey = useCreateKey();
  const form = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<RuleDraft>(() => draftOf(rule, senders[0]?.id ?? ''));
  const [goal, setGoal] = useState<{ line: number; column: number } | null>(null);
  const set = (change: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...change }));
  const isBrevo = senders.find(({ id }) => id === draft.connection_id)?.provider === WITH_TEMPLATES;
  const canWrite = can('email:write');
  const save = useMutation({
    mutationFn: async () => {
      const body = requestOf(draft);
      if (rule) return dataOf(api.PATCH('/v1/email-rules/{id}', { params: { path: { id: rule.id } }, body: { ...body, position: Number(draft.position) } }));
      return dataOf(api.POST('/v1/templates/{id}/email-rules', { params: { path: { id: templateId }, header: createKey(body) }, body }));
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['email-rules'] });
      if (!rule) await navigate({ to: '/deliveries/emails/rules/$rule', params: { rule: saved.id }, search: {}, replace: true });
    },
  });
  const goTo = (field: string, line: number | null, column: number | null) => {
    if (field === 'html' && line !== null) setGoal({ line, column: column ?? 1 });
    else form.current?.querySelector<HTMLElement>(`[data-pointer="/${CSS.escape(field)}"]`)?.focus();
  };
  const isSaved = save.isSuccess && JSON.stringify(draftOf(save.data, '')) === JSON.stringify(draft);
  return (
    <div className="deliveries-body rule-view">
      <header className="thing-head">
        <Back template={templateId} />
        <h2>{rule?.name ?? words.ruleTitle}</h2>
        {rule && <Mark tone={rule.enabled ? 'good' : 'plain'}>{rule.enabled ? words.enabled : words.disabled}</Mark>}
        {rule && <Actions rule={rule} draft={draft} />}
      </header>
      <div className="rule-body">
        <div className="rule-fields" ref={form}>
          <Form
            save={isSaved ? words.saved : rule ? words.saveRule : words.createRule} isSaving={save.isPending} isReadOnly={!canWrite} error={save.error}
            onSave={() => save.mutate()} onCancel={() => void navigate({ to: '/deliveries/emails/rules', search: { template_id: templateId } })}
          >
            <div className="field-pair">
              <TextField label={words.ruleName} pointer="/name" isRequired maxLength={100} value={draft.name} onChange={(name) => set({ name })} />
              <ChoiceField
                label={words.connection} pointer="/connection_id" value={draft.connection_id} onChange={(connection_id) => set({ connection_id })}
                values={[...senders.map(({ id, name }) => ({ value: id, label: name })), ...(draft.connection_id === '' || senders.some(({ id }) => id === draft.connection_id) ? [] : [{ value: draft.connection_id, label: draft.connection_id }])]}
              />
            </div>
            <TextField label={words.to} hint={words.toHint} pointer="/to" isMono value={draft.to} onChange={(to) => set({ to })} />
            <TextField label={words.subject} pointer="/subject" isMono value={draft.subject} onChange={(subject) => set({ subject })} />
            <div className="field">
              <p className="field-label">{words.html}</p>
              <Suspense fallback={<div className="editor" />}>
                <CodeEditor name={rule?.id ?? NEW} label={words.html} language="html" text={draft.html} remarks={NO_REMARKS} goal={goal} onChange={(html) => set({ html })} onRender={() => undefined} />
              </Suspense>
              <p className="field-hint"><WithCode text={words.htmlHint} /></p>
            </div>
            <TextField label={words.text} hint={words.textHint} pointer="/text" rows={3} isMono value={draft.text} onChange={(text) => set({ text })} />
            <details>
              <summary>{words.more}</summary>
              <div className="fields">
                <div className="field-pair">
                  <TextField label={words.cc} pointer="/cc" isMono value={draft.cc} onChange={(cc) => set({ cc })} />
                  <TextField label={words.bcc} pointer="/bcc" isMono value={draft.bcc} onChange={(bcc) => set({ bcc })} />
                </div>
                <div className="field-pair">
                  <TextField label={words.fromEmail} pointer="/from_email" maxLength={254} value={draft.from_email} onChange={(from_email) => set({ from_email })} />
                  <TextField label={words.fromName} pointer="/from_name" isMono value={draft.from_name} onChange={(from_name) => set({ from_name })} />
                </div>
                <TextField label={words.replyTo} pointer="/reply_to" isMono value={draft.reply_to} onChange={(reply_to) => set({ reply_to })} />
                <TextField label={words.condition} hint={words.conditionHint} pointer="/condition" isMono value={draft.condition} onChange={(condition) => set({ condition })} />
                <div className="field-pair">
                  <ChoiceField label={words.attach} pointer="/attachments" value={draft.attachments} values={WAYS.map((value) => ({ value, label: words.attachWays[value] }))} onChange={(attachments) => set({ attachments })} />
                  {rule && <TextField label={words.position} pointer="/position" type="number" min={0} max={4} isRequired value={draft.position} onChange={(position) => set({ position })} />}
                </div>
                <fieldset className="field">
                  <legend>{words.formats}</legend>
                  <p className="field-hint">{words.formatsHint}</p>
                  <div className="format-checks">
                    {FORMATS.map((format) => (
                      <CheckField
                        key={format} label={format} pointer={`/attach_formats/${format}`} value={draft.attach_formats.includes(format)}
                        onChange={(isOn) => set({ attach_formats: FORMATS.filter((each) => (each === format ? isOn : draft.attach_formats.includes(each))) })}
                      />
                    ))}
                  </div>
                </fieldset>
                {isBrevo && <TextField label={words.providerTemplate} hint={words.providerTemplateHint} pointer="/provider_template/id" type="number" min={1} value={draft.provider_id} onChange={(provider_id) => set({ provider_id })} />}
                {isBrevo && draft.provider_id !== '' && <TextField label={words.providerParams} hint={words.providerParamsHint} pointer="/provider_template/params" rows={3} isMono value={draft.provider_params} onChange={(provider_params) => set({ provider_params })} />}
                <CheckField label={words.enabled} hint={words.enabledHint} pointer="/enabled" value={draft.enabled} onChange={(enabled) => set({ enabled })} />
              </div>
            </details>
            {save.data?.warnings.map((warning) => <p key={warning.path} className="remark warning"><code>{warning.path}</code> {warning.message}</p>)}
          </Form>
        </div>
        <MailPreview templateId={templateId} rule={specOf(draft)} onPlace={goTo} />
      </div>
    </div>
  );
}

const NO_REMARKS: readonly never[] = [];

function Actions({ rule, draft }: { rule: Rule; draft: RuleDraft }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isTested, setTested] = useState(false);
  const params = { path: { id: rule.id } };
  const refresh = () => queries.invalidateQueries({ queryKey: ['email-rules'] });
  const change = useMutation({
    mutationFn: (enabled: boolean) => dataOf(api.PATCH('/v1/email-rules/{id}', { params, body: { enabled } })),
    onSettled: refresh,
  });
  const remove = async () => {
    await done(api.DELETE('/v1/email-rules/{id}', { params }));
    await navigate({ to: '/deliveries/emails/rules', search: { template_id: rule.template_id } });
    await refresh();
  };
  return (
    <div className="actions">
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/email-rules/${rule.id}` })} />
      <Link to="/deliveries/emails" search={{ rule_id: rule.id }} className="button">{words.sends}</Link>
      {can('email:write') && (
        <>
          <button type="button" className="button" onClick={() => setTested(true)}>{words.sendTest}</button>
          <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate(!rule.enabled)}>{rule.enabled ? words.turnOff : words.turnOn}</button>
          <Confirm label={texts.deliveries.delete} title={words.deleteRule} lead={words.deleteRuleLead} confirm={words.deleteRuleConfirm} run={remove} />
        </>
      )}
      <Refused errors={[change.error]} />
      {isTested && <TestDialog rule={rule} draft={draft} onClose={() => setTested(false)} />}
    </div>
  );
}

/** Send the email of the rule as it stands in the form. */
function TestDialog({ rule, draft, onClose }: { rule: Rule; draft: RuleDraft; onClose: () => void }) {
  const navigate = useNavigate();
  const [to, setTo] = useState('');
  const test = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/email-rules/{id}/test', { params: { path: { id: rule.id } }, body: { to: to.trim(), rule: specOf(draft) } })),
    onSuccess: (render) => void navigate({ to: '/deliveries/emails', search: { render_id: render.id } }),
  });
  return (
    <Dialog title={words.sendTestTitle} onClose={onClose}>
      <p>{words.sendTestLead}</p>
      <Form save={words.sendTestConfirm} isSaving={test.isPending} error={test.error} onSave={() => test.mutate()} onCancel={onClose}>
        <TextField label={words.to} hint={words.testRecipientHint} pointer="/to" type="email" isRequired maxLength={254} value={to} onChange={setTo} />
      </Form>
    </Dialog>
  );
}
