import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { isObject } from './source.ts';

export function templateOf(key: string, id: string) {
  return queryOptions({
    queryKey: ['template', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}', { params: { path: { id } }, signal })),
  });
}

export function versionsOf(key: string, id: string) {
  return queryOptions({
    queryKey: ['template-versions', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}/versions', { params: { path: { id }, query: { limit: 100 } }, signal })),
  });
}

/** The paths into the data that a template takes, by its schema, else by its first dataset. */
export function pathsOf(key: string, id: string) {
  return queryOptions({
    queryKey: ['template-paths', key, id],
    queryFn: async ({ signal }): Promise<string[]> => {
      const { schema, dynamic_properties: values } = await dataOf(api.GET('/v1/templates/{id}/schema', { params: { path: { id } }, signal }));
      const named = [...schemaPaths(schema), ...values.map((value) => value.key)];
      if (named.length > 0) return [...new Set(named)];
      const { data: datasets } = await dataOf(api.GET('/v1/templates/{id}/datasets', { params: { path: { id }, query: { limit: 100 } }, signal }));
      const ds = (datasets.find((each) => each.is_default) ?? datasets[0])?.id;
      if (ds === undefined) return [];
      const { data } = await dataOf(api.GET('/v1/templates/{id}/datasets/{ds}', { params: { path: { id, ds } }, signal }));
      return dataPaths(data);
    },
  });
}

function schemaPaths(schema: unknown, outer = ''): string[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, inner]) => {
    const within = schemaPaths(inner, `${outer}${name}.`);
    return within.length > 0 ? within : [`${outer}${name}`];
  });
}

/** Lists are left out: a cell holds one value. */
function dataPaths(data: Record<string, unknown>, outer = ''): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [];
    return isObject(value) ? dataPaths(value, `${outer}${name}.`) : [`${outer}${name}`];
  });
}

/** The path that a column probably fills: that of the same name, else its own name. */
export function likelyPath(column: string, paths: readonly string[]): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const name = plain(column);
  return paths.find((path) => path === column) ?? paths.find((path) => plain(path) === name) ?? paths.find((path) => plain(path.split('.').at(-1) ?? '') === name) ?? column;
}
