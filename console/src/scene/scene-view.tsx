import './scene.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../api/account.ts';
import { useKey } from '../api/key.ts';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { ProblemBox } from '../ui/problem-box.tsx';
import { useTitle } from '../ui/title.ts';
import { type Draft, keptScene, sceneOf } from './draft.ts';
import { Editor } from './editor.tsx';
import { readScene, type Scene } from './model.ts';

const BLANK = { width: 1200, height: 630, layers: [] };

/** The scene of a canvas template, on a surface where it is drawn. */
export function SceneView() {
  const { id } = useParams({ from: '/templates/$id/scene' });
  const { key } = useKey();
  const { can } = useRights();
  const query = useQuery({ ...sceneOf(key ?? '', id), enabled: can('templates:read') });
  useTitle(query.data?.template.name ?? texts.scene.title);

  if (!can('templates:read')) return <p className="pane-note">{texts.key.noScope('templates:read')}</p>;
  if (query.error) {
    return <ProblemBox problem={problemOf(query.error)}><button type="button" className="link" onClick={() => void query.refetch()}>{texts.net.retry}</button></ProblemBox>;
  }
  if (!query.data) return <div className="scene-view" aria-busy="true" />;
  const { template, draft, datasets } = query.data;
  if (template.type !== 'image_canvas') {
    return <div className="empty"><h2>{texts.scene.isHtml(template.name)}</h2><p>{texts.scene.isHtmlLead}</p><Link to="/templates/new-scene" className="button primary">{texts.scene.make}</Link></div>;
  }
  return <Opened key={template.id} template={template} draft={draft} datasets={datasets} />;
}

type OpenedProps = Omit<Parameters<typeof Editor>[0], 'saved' | 'first' | 'conflicting'>;

/** Begin with what this tab has kept, or with the draft. */
function Opened({ template, draft, datasets }: OpenedProps) {
  const [start] = useState(() => startOf(draft));
  if ('fault' in start) {
    return <div className="empty"><h2>{texts.scene.broken.title}</h2><p>{start.fault}</p><p>{texts.scene.broken.lead}</p></div>;
  }
  return <Editor template={template} datasets={datasets} {...start} />;
}

type Start = { draft: Draft; saved: Scene; first: Scene; conflicting: Draft | null };

function startOf(draft: Draft): Start | { fault: string } {
  const kept = keptScene(draft.template_id);
  const isUnmade = draft.content.scene === null || draft.content.scene === undefined;
  const read = readScene(isUnmade ? BLANK : draft.content.scene);
  const resumed = kept ? readScene(kept.scene) : null;
  if (resumed && 'scene' in resumed && kept) {
    const isOlder = kept.revision !== draft.revision;
    const saved = 'scene' in read ? read.scene : resumed.scene;
    return { draft: { ...draft, revision: kept.revision }, saved, first: resumed.scene, conflicting: isOlder ? draft : null };
  }
  if ('fault' in read) return read;
  // A scene that was never saved is a change.
  return { draft, saved: isUnmade ? { ...read.scene } : read.scene, first: read.scene, conflicting: null };
}
