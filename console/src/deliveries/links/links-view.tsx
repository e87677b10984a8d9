import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useRights } from '../../api/account.ts';
import { useKey } from '../../api/key.ts';
import { texts } from '../../texts.ts';
import { CopyAs } from '../../ui/copy.tsx';
import { shownNumber, shownShortMoment } from '../../ui/format.ts';
import { programsOf } from '../../ui/programs.ts';
import { useRowKeys } from '../../ui/row-keys.ts';
import { useTitle } from '../../ui/title.ts';
import { Empty, LoadMore, SectionHead, Waiting } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { useTemplates } from '../parts/templates.tsx';
import { LinkForm } from './link-form.tsx';
import { linkPages, type SignedLink, stateOf } from './queries.ts';

const words = texts.deliveries.links;

/** All signed links. */
export function LinksView() {
  const { key } = useKey();
  const { can } = useRights();
  const isAllowed = can('signed_links:read');
  const list = useInfiniteQuery({ ...linkPages(key ?? ''), enabled: isAllowed });
  const table = useRef<HTMLTableElement>(null);
  const [isNew, setNew] = useState(false);
  useTitle(words.list);
  useRowKeys(table);
  if (!isAllowed) return <p className="pane-note">{texts.key.noScope('signed_links:read')}</p>;
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const add = can('signed_links:write') && <button type="button" className="button primary" onClick={() => setNew(true)}>{words.add}</button>;
  return (
    <div className="deliveries-body">
      <section>
        <SectionHead title={words.list}>
          <CopyAs programs={() => programsOf({ method: 'GET', path: '/signed-links' })} />
          {rows.length > 0 && add}
        </SectionHead>
        {list.data && rows.length === 0 && !list.hasNextPage && <Empty title={words.none} lead={words.noneLead}>{add}</Empty>}
        {rows.length > 0 && (
          <table className="rows" ref={table}>
            <caption className="hidden">{words.list}. {texts.renders.keys}</caption>
            <thead>
              <tr>
                <th scope="col">{words.columns.state}</th>
                <th scope="col">{words.columns.name}</th>
                <th scope="col" className="figure wide-only">{words.columns.used}</th>
                <th scope="col" className="figure">{words.columns.expires}</th>
              </tr>
            </thead>
            <tbody>{rows.map((link) => <Row key={link.id} link={link} />)}</tbody>
          </table>
        )}
        <Waiting query={list} />
        <LoadMore query={list} />
      </section>
      {isNew && <LinkForm link={null} onClose={() => setNew(false)} />}
    </div>
  );
}

function Row({ link }: { link: SignedLink }) {
  const { tone, word } = stateOf(link);
  const template = useTemplates().find(({ id }) => id === link.template_id);
  return (
    <tr>
      <td><Mark tone={tone}>{word}</Mark></td>
      <td className="document">
        <Link to="/deliveries/links/$link" params={{ link: link.id }} className="row-link">{link.name}</Link>
        <span className="row-second"><span>{template?.name ?? link.template_id}</span><span>{shownVersion(link.version)}</span></span>
      </td>
      <td className="figure wide-only">{words.used(shownNumber(link.quota_used), link.quota_total === null ? null : shownNumber(link.quota_total))}</td>
      <td className="figure">{link.expires_at === null ? words.never : <time dateTime={link.expires_at}>{shownShortMoment(link.expires_at)}</time>}</td>
    </tr>
  );
}

export function shownVersion(version: SignedLink['version']): string {
  return typeof version === 'number' ? texts.render.version(version) : words.versions[version];
}
