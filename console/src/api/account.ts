import { queryOptions, useQuery } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from './client.ts';
import { isLive, useKey } from './key.ts';
import { ProblemError } from './problem.ts';

export type Account = components['schemas']['Account'];

const WRITE_IMPLIES_READ = new Set(['webhooks', 'storage', 'signed_links', 'email']);

/** The account of a key; null if the key may not read it. */
export function accountOf(key: string) {
  return queryOptions({
    queryKey: ['account', key],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Account | null> => {
      try {
        const headers = { Authorization: `Bearer ${key}` };
        return await dataOf(api.GET('/v1/account', { signal, headers }));
      } catch (error) {
        if (error instanceof ProblemError && error.problem.status === 403) return null;
        throw error;
      }
    },
  });
}

/** What the key of this tab may do; a key that may not read its account is offered everything. */
export function useRights(): { isLive: boolean; can: (scope: string) => boolean; account: Account | null } {
  const { key } = useKey();
  const account = useQuery({ ...accountOf(key ?? ''), enabled: key !== null }).data ?? null;
  const can = (scope: string): boolean => {
    if (account === null) return true;
    const [area = '', right] = scope.split(':');
    const { scopes } = account.key;
    return (
      scopes.includes(scope) ||
      (right === 'read' && WRITE_IMPLIES_READ.has(area) && scopes.includes(`${area}:write`))
    );
  };
  return { isLive: key !== null && isLive(key), can, account };
}
