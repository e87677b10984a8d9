import { emails } from 'virtual:providers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { components } from 'contract';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { texts } from '../../texts.ts';
import { useCreateKey } from '../parts/create-key.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceField, Form, TextField } from '../parts/form.tsx';
import { CredentialFields, membersOf, SettingFields, type Typed, typedOf } from '../parts/provider-fields.tsx';
import type { Connection } from './queries.ts';

const words = texts.deliveries.emails;
type Request = components['schemas']['EmailConnectionRequest'];
type TestMode = Connection['test_mode'] | '';
/** The provider that alone has a sandbox. */
const WITH_SANDBOX = 'brevo';

/** Create or change a connection. */
export function ConnectionForm({ connection, onClose }: { connection: Connection | null; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const createKey = useCreateKey();
  const [providerName, setProvider] = useState<string>(connection?.provider ?? emails[0]?.name ?? '');
  const [name, setName] = useState(connection?.name ?? '');
  const [fromEmail, setFromEmail] = useState(connection?.default_from.email ?? '');
  const [fromName, setFromName] = useState(connection?.default_from.name ?? '');
  const [replyTo, setReplyTo] = useState(connection?.reply_to ?? '');
  const [testMode, setTestMode] = useState<TestMode>(connection?.test_mode ?? '');
  const [recipient, setRecipient] = useState(connection?.test_recipient ?? '');
  const [settings, setSettings] = useState<Typed>(typedOf(connection?.config ?? {}));
  const [way, setWay] = useState(0);
  const [credentials, setCredentials] = useState<Typed>({});
  const provider = emails.find((each) => each.name === providerName) ?? emails[0];
  const save = useMutation({
    mutationFn: async (): Promise<string> => {
      const typed = membersOf(provider?.credentials[way] ?? [], credentials, false);
      const body = {
        name: name.trim(),
        default_from: { email: fromEmail.trim(), name: fromName.trim() || null },
        reply_to: replyTo.trim() || null,
        test_mode: testMode || null,
        test_recipient: recipient.trim() || null,
        config: membersOf(provider?.settings ?? [], settings, connection !== null),
        ...(Object.keys(typed).length > 0 ? { credentials: typed } : {}),
      };
      if (connection) return (await dataOf(api.PATCH('/v1/email-connections/{id}', { params: { path: { id: connection.id } }, body }))).id;
      // The form has the members of this provider, as the API describes them.
      const request = { ...body, provider: providerName } as unknown as Request;
      return (await dataOf(api.POST('/v1/email-connections', { params: { header: createKey(request) }, body: request }))).id;
    },
    gcTime: 0,
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ['email-connections'] });
      onClose();
      if (!connection) void navigate({ to: '/deliveries/emails/connections/$connection', params: { connection: id } });
    },
  });
  if (!provider) return null;
  const modes = (['', 'sandbox', 'redirect', 'skip'] as const).filter((each) => each !== 'sandbox' || providerName === WITH_SANDBOX);
  return (
    <Dialog title={connection ? words.editConnection : words.connectionTitle} isWide onClose={onClose}>
      <Form save={connection ? texts.deliveries.save : words.createConnection} isSaving={save.isPending} error={save.error} onSave={() => save.mutate()} onCancel={onClose}>
        <div className="field-pair">
          <ChoiceField
            label={texts.deliveries.provider} pointer="/provider" value={providerName} isDisabled={connection !== null}
            values={emails.map((each) => ({ value: each.name, label: texts.deliveries.providers[each.name as keyof typeof texts.deliveries.providers] ?? each.name }))}
            onChange={(next) => { setProvider(next); setSettings({}); setCredentials({}); setWay(0); setTestMode(''); }}
          />
          <TextField label={texts.deliveries.name} pointer="/name" isRequired maxLength={100} value={name} onChange={setName} />
        </div>
        <div className="field-pair">
          <TextField label={words.fromEmail} pointer="/default_from/email" type="email" isRequired maxLength={254} placeholder="billing@example.com" value={fromEmail} onChange={setFromEmail} />
          <TextField label={words.fromName} pointer="/default_from/name" maxLength={255} value={fromName} onChange={setFromName} />
        </div>
        <SettingFields provider={provider} typed={settings} onChange={setSettings} />
        <CredentialFields
          provider={provider} way={way} typed={credentials} onWay={setWay} onChange={setCredentials}
          hint={connection?.credentials.configured ? texts.deliveries.credentialsKept : texts.deliveries.credentialsOptional}
        />
        <TextField label={words.replyTo} hint={words.replyToHint} pointer="/reply_to" type="email" maxLength={254} value={replyTo} onChange={setReplyTo} />
        <div className="field-pair">
          <ChoiceField label={words.testMode} pointer="/test_mode" value={testMode} values={modes.map((value) => ({ value, label: words.testModes[value] }))} onChange={setTestMode} />
          {testMode === 'redirect' && <TextField label={words.testRecipient} hint={words.testRecipientHint} pointer="/test_recipient" type="email" isRequired maxLength={254} value={recipient} onChange={setRecipient} />}
        </div>
      </Form>
    </Dialog>
  );
}
