import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { BASE_PATH } from './api/client.ts';
import { playgroundSearch } from './playground/search.ts';
import { renderSearch, rendersSearch } from './renders/search.ts';
import { sceneSearch } from './scene/search.ts';
import { Shell } from './ui/shell.tsx';

const root = createRootRoute({ component: Shell });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/playground', replace: true });
  },
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(() => import('./playground/playground.tsx'), 'Playground'),
});

const renders = createRoute({
  getParentRoute: () => root,
  path: '/renders',
  validateSearch: rendersSearch,
  component: lazyRouteComponent(() => import('./renders/render-list.tsx'), 'RenderList'),
});

const render = createRoute({
  getParentRoute: () => root,
  path: '/renders/$id',
  validateSearch: renderSearch,
  component: lazyRouteComponent(() => import('./renders/render-view.tsx'), 'RenderView'),
});

const newScene = createRoute({
  getParentRoute: () => root,
  path: '/templates/new-scene',
  component: lazyRouteComponent(() => import('./scene/new-scene.tsx'), 'NewScene'),
});

const scene = createRoute({
  getParentRoute: () => root,
  path: '/templates/$id/scene',
  validateSearch: sceneSearch,
  component: lazyRouteComponent(() => import('./scene/scene-view.tsx'), 'SceneView'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    playground,
    renders,
    render,
    newScene,
    scene,
  ]),
  basepath: BASE_PATH,
  defaultNotFoundComponent: () => null,
  defaultPendingMs: 300,
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
