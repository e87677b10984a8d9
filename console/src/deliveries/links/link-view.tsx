import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../api/account.ts';
import { api, dataOf, done } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs, CopyText } from '../../ui/copy.tsx';
import { shownMoment, shownNumber } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { programsOf } from '../../ui/programs.ts';
import { useTitle } from '../../ui/title.ts';
import { Confirm } from '../parts/dialog.tsx';
import { SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { Refused } from '../parts/outcome.tsx';
import { useTemplates } from '../parts/templates.tsx';
import { LinkForm } from './link-form.tsx';
import { shownVersion } from './links-view.tsx';
import { oneLink, type SignedLink, stateOf } from './queries.ts';
import { UrlBuilder } from './url-builder.tsx';

const words = texts.deliveries.links;

/** One signed link: what it makes, and a builder of its URLs. */
export function LinkView() {
  const { link: id } = useParams({ from: '/deliveries/links/$link' });
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('signed_links:read');
  const found = useQuery({ ...oneLink(key ?? '', id), enabled: isAllowed });
  useTitle(found.data?.name ?? words.list);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('signed_links:read')}</p>;
  const back = <Link to="/deliveries/links" className="back"><Icon name="back" />{words.list}</Link>;
  if (!found.data) return <div className="deliveries-body">{back}<Waiting query={found} /></div>;
  const link = found.data;
  const { tone, word } = stateOf(link);
  return (
    <div className="deliveries-body">
      <header className="thing-head">
        {back}
        <h2>{link.name}</h2>
        <Mark tone={tone}>{word}</Mark>
        <Actions link={link} />
      </header>
      <section>
        <SectionHead title={words.builder} />
        {can('signed_links:write') ? <UrlBuilder link={link} /> : <p className="none-line">{words.noSign}</p>}
      </section>
      <section>
        <SectionHead title={texts.render.details} />
        <Facts link={link} />
      </section>
    </div>
  );
}

function Facts({ link }: { link: SignedLink }) {
  const template = useTemplates().find(({ id }) => id === link.template_id);
  return (
    <dl className="facts">
      <dt>{texts.render.id}</dt><dd><CopyText text={link.id} /></dd>
      <dt>{words.template}</dt><dd>{template?.name} <IdLink id={link.template_id} /> {shownVersion(link.version)}</dd>
      <dt>{words.columns.used}</dt><dd>{words.used(shownNumber(link.quota_used), link.quota_total === null ? null : shownNumber(link.quota_total))}</dd>
      <dt>{words.expires}</dt><dd>{link.expires_at === null ? words.never : shownMoment(link.expires_at)}</dd>
      <dt>{words.referrers}</dt><dd>{link.allowed_referrers.length === 0 ? words.everyPage : <ul className="chips">{link.allowed_referrers.map((each) => <li key={each}><code>{each}</code></li>)}</ul>}</dd>
      {Object.keys(link.output).length > 0 && <><dt>{words.output}</dt><dd><code>{JSON.stringify(link.output)}</code></dd></>}
      <dt>{texts.deliveries.created}</dt><dd>{shownMoment(link.created_at)}</dd>
    </dl>
  );
}

function Actions({ link }: { link: SignedLink }) {
  const { can } = useRights();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isEdited, setEdited] = useState(false);
  const params = { path: { id: link.id } };
  const refresh = () => queries.invalidateQueries({ queryKey: ['signed-links'] });
  const change = useMutation({
    mutationFn: (enabled: boolean) => dataOf(api.PATCH('/v1/signed-links/{id}', { params, body: { enabled } })),
    onSettled: refresh,
  });
  const remove = async () => {
    await done(api.DELETE('/v1/signed-links/{id}', { params }));
    await navigate({ to: '/deliveries/links' });
    await refresh();
  };
  return (
    <div className="actions">
      <CopyAs programs={() => programsOf({ method: 'GET', path: `/signed-links/${link.id}` })} />
      {can('signed_links:write') && (
        <>
          <button type="button" className="button" onClick={() => setEdited(true)}>{texts.deliveries.edit}</button>
          <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate(!link.enabled)}>{link.enabled ? words.turnOff : words.turnOn}</button>
          <Confirm label={texts.deliveries.delete} title={words.deleteTitle} lead={words.deleteLead} confirm={words.deleteConfirm} run={remove} />
        </>
      )}
      <Refused errors={[change.error]} />
      {isEdited && <LinkForm link={link} onClose={() => setEdited(false)} />}
    </div>
  );
}
