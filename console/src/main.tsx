import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { takeKeyFromAddress } from './api/key.ts';
import { router } from './router.tsx';

takeKeyFromAddress();
addEventListener('hashchange', takeKeyFromAddress);
// A deployment has replaced the files that this page would load next.
addEventListener('vite:preloadError', () => location.reload());

// The client waits and repeats itself, where that is right.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } });

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
