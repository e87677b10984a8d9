import { stores } from 'virtual:providers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { components } from 'contract';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { texts } from '../../texts.ts';
import { useCreateKey } from '../parts/create-key.ts';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField, ChoiceField, Form, TextField } from '../parts/form.tsx';
import { CredentialFields, membersOf, SettingFields, type Typed, typedOf } from '../parts/provider-fields.tsx';
import type { Destination } from './queries.ts';

const words = texts.deliveries.storage;
type Request = components['schemas']['StorageDestinationRequest'];

/** Create or change a destination. */
export function DestinationForm({ destination, onClose }: { destination: Destination | null; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const createKey = useCreateKey();
  const [providerName, setProvider] = useState<string>(destination?.provider ?? stores[0]?.name ?? '');
  const [name, setName] = useState(destination?.name ?? '');
  const [path, setPath] = useState(destination?.path_template ?? '{{ filename }}');
  const [keeps, setKeeps] = useState(destination?.keep_hosted_copy ?? true);
  const [isDefault, setDefault] = useState(destination?.is_default ?? false);
  const [settings, setSettings] = useState<Typed>(typedOf(destination?.config ?? {}));
  const [way, setWay] = useState(0);
  const [credentials, setCredentials] = useState<Typed>({});
  const provider = stores.find((each) => each.name === providerName) ?? stores[0];
  const save = useMutation({
    mutationFn: async (): Promise<string> => {
      const typed = membersOf(provider?.credentials[way] ?? [], credentials, false);
      const body = {
        name: name.trim(),
        path_template: path.trim(),
        keep_hosted_copy: keeps,
        is_default: isDefault,
        config: membersOf(provider?.settings ?? [], settings, destination !== null),
        ...(Object.keys(typed).length > 0 ? { credentials: typed } : {}),
      };
      if (destination) return (await dataOf(api.PATCH('/v1/storage-destinations/{id}', { params: { path: { id: destination.id } }, body }))).id;
      // The form has the members of this provider, as the API describes them.
      const request = { ...body, provider: providerName } as unknown as Request;
      return (await dataOf(api.POST('/v1/storage-destinations', { params: { header: createKey(request) }, body: request }))).id;
    },
    gcTime: 0,
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ['storage-destinations'] });
      onClose();
      if (!destination) void navigate({ to: '/deliveries/storage/$destination', params: { destination: id } });
    },
  });
  if (!provider) return null;
  return (
    <Dialog title={destination ? words.editTitle : words.addTitle} isWide onClose={onClose}>
      <Form save={destination ? texts.deliveries.save : words.create} isSaving={save.isPending} error={save.error} onSave={() => save.mutate()} onCancel={onClose}>
        <div className="field-pair">
          <ChoiceField
            label={texts.deliveries.provider} pointer="/provider" value={providerName} isDisabled={destination !== null}
            values={stores.map((each) => ({ value: each.name, label: texts.deliveries.providers[each.name as keyof typeof texts.deliveries.providers] ?? each.name }))}
            onChange={(next) => { setProvider(next); setSettings({}); setCredentials({}); setWay(0); }}
          />
          <TextField label={texts.deliveries.name} pointer="/name" isRequired maxLength={100} value={name} onChange={setName} />
        </div>
        <SettingFields provider={provider} typed={settings} onChange={setSettings} />
        <CredentialFields
          provider={provider} way={way} typed={credentials} onWay={setWay} onChange={setCredentials}
          hint={destination?.credentials.configured ? texts.deliveries.credentialsKept : texts.deliveries.credentialsOptional}
        />
        <TextField label={words.path} hint={words.pathHint} pointer="/path_template" isRequired isMono maxLength={1024} value={path} onChange={setPath} />
        <CheckField label={words.keep} hint={words.keepHint} pointer="/keep_hosted_copy" value={keeps} onChange={setKeeps} />
        <CheckField label={words.isDefault} hint={words.isDefaultHint} pointer="/is_default" value={isDefault} onChange={setDefault} />
      </Form>
    </Dialog>
  );
}
