import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs } from '../../ui/copy.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { Empty, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { TemplateField, templates } from '../parts/templates.tsx';
import { EmailParts } from './email-parts.tsx';
import { connections, rulesOf } from './queries.ts';

const words = texts.deliveries.emails;

/** The rules of one template, in the order of sending. */
export function RulesView() {
  const { template_id: chosen } = useSearch({ from: '/deliveries/emails/rules' });
  const navigate = useNavigate({ from: '/deliveries/emails/rules' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('email:read');
  const all = useQuery({ ...templates(key ?? ''), enabled: can('templates:read') });
  // With one template there is nothing to choose.
  const only = all.data?.data.length === 1 ? all.data.data[0]?.id : undefined;
  const template = chosen ?? only ?? '';
  const list = useQuery({ ...rulesOf(key ?? '', template), enabled: isAllowed && template !== '' });
  const senders = useQuery({ ...connections(key ?? ''), enabled: isAllowed });
  useTitle(words.rules);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('email:read')}</p>;
  const hasNoTemplate = all.data?.data.length === 0 && chosen === undefined;
  const hasNoSender = senders.data?.data.length === 0;
  const add = can('email:write') && template !== '' && !hasNoSender && (
    <Link to="/deliveries/emails/rules/$rule" params={{ rule: 'new' }} search={{ template_id: template }} className="button primary">{words.addRule}</Link>
  );
  return (
    <div className="deliveries-body">
      <EmailParts>
        {template !== '' && <CopyAs programs={() => programsOf({ method: 'GET', path: `/templates/${template}/email-rules` })} />}
        {(list.data?.length ?? 0) > 0 && add}
      </EmailParts>
      <section>
        {!hasNoTemplate && (
          <div className="choose">
            <TemplateField value={template} onChange={(id) => void navigate({ search: id === '' ? {} : { template_id: id }, replace: true })} />
          </div>
        )}
        {hasNoTemplate && <Empty title={words.noTemplates} lead={words.noTemplatesLead} />}
        {!hasNoTemplate && template === '' && <p className="none-line">{words.chooseTemplateLead}</p>}
        {list.data?.length === 0 && (hasNoSender
          ? <Empty title={words.needsConnection} lead={words.needsConnectionLead}><Link to="/deliveries/emails/connections" className="button primary">{words.connections}</Link></Empty>
          : <Empty title={words.noRules} lead={words.noRulesLead}>{add}</Empty>)}
        {list.data && list.data.length > 0 && (
          <ol className="cards">
            {list.data.map((rule) => (
              <li key={rule.id} className="card">
                <div className="card-main">
                  <Link to="/deliveries/emails/rules/$rule" params={{ rule: rule.id }} search={{}} className="row-link">{rule.name}</Link>
                  <p className="card-second">
                    <Mark tone={rule.enabled ? 'good' : 'plain'}>{rule.enabled ? words.enabled : words.disabled}</Mark>
                    <span>{senders.data?.data.find(({ id }) => id === rule.connection_id)?.name ?? rule.connection_id}</span>
                    <code>{rule.to}</code>
                    <span>{rule.subject}</span>
                    {rule.condition && <code>{rule.condition}</code>}
                  </p>
                </div>
                <p className="card-side">{rule.position + 1}</p>
              </li>
            ))}
          </ol>
        )}
        {template !== '' && <Waiting query={list} />}
      </section>
    </div>
  );
}
