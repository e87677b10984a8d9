import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { BASE_PATH } from './api/client.ts';
import { deliverySearch, endpointSearch, ruleSearch, rulesSearch, sendsSearch, webhooksSearch } from './deliveries/search.ts';
import { playgroundSearch } from './playground/search.ts';
import { renderSearch, rendersSearch } from './renders/search.ts';
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

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/deliveries',
  component: lazyRouteComponent(() => import('./deliveries/deliveries.tsx'), 'Deliveries'),
});

const deliveryRoutes = [
  createRoute({
    getParentRoute: () => deliveries,
    path: '/',
    component: lazyRouteComponent(() => import('./deliveries/first-tab.tsx'), 'FirstTab'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/webhooks',
    validateSearch: webhooksSearch,
    component: lazyRouteComponent(() => import('./deliveries/webhooks/webhooks-view.tsx'), 'WebhooksView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/webhooks/$endpoint',
    validateSearch: endpointSearch,
    component: lazyRouteComponent(() => import('./deliveries/webhooks/endpoint-view.tsx'), 'EndpointView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/webhooks/$endpoint/$delivery',
    validateSearch: deliverySearch,
    component: lazyRouteComponent(() => import('./deliveries/webhooks/delivery-view.tsx'), 'DeliveryView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/emails',
    validateSearch: sendsSearch,
    component: lazyRouteComponent(() => import('./deliveries/emails/sends-view.tsx'), 'SendsView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/emails/sends/$send',
    component: lazyRouteComponent(() => import('./deliveries/emails/send-view.tsx'), 'SendView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/emails/rules',
    validateSearch: rulesSearch,
    component: lazyRouteComponent(() => import('./deliveries/emails/rules-view.tsx'), 'RulesView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/emails/rules/$rule',
    validateSearch: ruleSearch,
    component: lazyRouteComponent(() => import('./deliveries/emails/rule-view.tsx'), 'RuleView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/emails/connections',
    component: lazyRouteComponent(() => import('./deliveries/emails/connections-view.tsx'), 'ConnectionsView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/emails/connections/$connection',
    component: lazyRouteComponent(() => import('./deliveries/emails/connection-view.tsx'), 'ConnectionView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/storage',
    component: lazyRouteComponent(() => import('./deliveries/storage/storage-view.tsx'), 'StorageView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/storage/$destination',
    component: lazyRouteComponent(() => import('./deliveries/storage/destination-view.tsx'), 'DestinationView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/links',
    component: lazyRouteComponent(() => import('./deliveries/links/links-view.tsx'), 'LinksView'),
  }),
  createRoute({
    getParentRoute: () => deliveries,
    path: '/links/$link',
    component: lazyRouteComponent(() => import('./deliveries/links/link-view.tsx'), 'LinkView'),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    playground,
    renders,
    render,
    deliveries.addChildren(deliveryRoutes),
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
