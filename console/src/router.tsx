import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { BASE_PATH } from './api/client.ts';
import { batchesSearch, batchSearch, newBatchSearch } from './batches/search.ts';
import { compareSearch } from './compare/search.ts';
import { deliverySearch, endpointSearch, ruleSearch, rulesSearch, sendsSearch, webhooksSearch } from './deliveries/search.ts';
import { checkSearch, makeSearch } from './invoices/search.ts';
import { playgroundSearch } from './playground/search.ts';
import { renderSearch, rendersSearch } from './renders/search.ts';
import { sceneSearch } from './scene/search.ts';
import { templateSearch, templatesSearch } from './templates/search.ts';
import { toolsSearch } from './tools/search.ts';
import { Shell } from './ui/shell.tsx';
import { usageSearch } from './usage/search.ts';

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

const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: toolsSearch,
  component: lazyRouteComponent(() => import('./tools/tools-view.tsx'), 'ToolsView'),
});

const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: templatesSearch,
  component: lazyRouteComponent(() => import('./templates/template-list.tsx'), 'TemplateList'),
});

const template = createRoute({
  getParentRoute: () => root,
  path: '/templates/$id',
  validateSearch: templateSearch,
  component: lazyRouteComponent(() => import('./templates/template-view.tsx'), 'TemplateView'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/templates/$id/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./compare/compare-view.tsx'), 'CompareView'),
});

const invoices = createRoute({
  getParentRoute: () => root,
  path: '/invoices',
  validateSearch: checkSearch,
  component: lazyRouteComponent(() => import('./invoices/check-view.tsx'), 'CheckView'),
});

const newInvoice = createRoute({
  getParentRoute: () => root,
  path: '/invoices/new',
  validateSearch: makeSearch,
  component: lazyRouteComponent(() => import('./invoices/make-view.tsx'), 'MakeView'),
});

const batches = createRoute({
  getParentRoute: () => root,
  path: '/batches',
  validateSearch: batchesSearch,
  component: lazyRouteComponent(() => import('./batches/batch-list.tsx'), 'BatchList'),
});

const newBatch = createRoute({
  getParentRoute: () => root,
  path: '/batches/new',
  validateSearch: newBatchSearch,
  component: lazyRouteComponent(() => import('./batches/new-batch.tsx'), 'NewBatch'),
});

const batch = createRoute({
  getParentRoute: () => root,
  path: '/batches/$id',
  validateSearch: batchSearch,
  component: lazyRouteComponent(() => import('./batches/batch-view.tsx'), 'BatchView'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => import('./usage/usage-view.tsx'), 'UsageView'),
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
    tools,
    templates,
    template,
    compare,
    invoices,
    newInvoice,
    batches,
    newBatch,
    batch,
    usage,
    newScene,
    scene,
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
