// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  clusterRoleBindings,
  clusterRoles,
  createClient,
  isKubeError,
  type KubeObject,
  type Resource,
  serviceAccounts,
  services,
  statefulSets,
} from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { silentLogger } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runOperator, statusOf } from './operator.ts';
import { type Store, stores } from './store.ts';

const key = { namespace: 'default', name: 'example' };
const store: Store = { metadata: { ...key, generation: 1 }, spec: { replicas: 2 } };

test('the operator is at most 300 lines, with its kind', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const lines = files.flatMap((file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n'));
  expect(files.length).toBe(4);
  expect(lines.length).toBeLessThanOrEqual(300);
});

const rights = join(import.meta.dirname, '..', 'deploy', 'rbac.yaml');

describe('with an API server, and no more rights than deploy/rbac.yaml gives', () => {
  let server: ReturnType<typeof createApiServer>;
  let stop: AbortController;
  let running: Promise<void>;
  const api = () => createClient(server.transport());

  const create = async (object: KubeObject) => {
    const kinds = [serviceAccounts, clusterRoles, clusterRoleBindings] as readonly Resource<KubeObject>[];
    const resource = kinds.find(({ kind }) => kind === object.kind);
    if (resource) await api().resource(resource).create(object);
  };

  beforeEach(async () => {
    server = createApiServer();
    stop = new AbortController();
    for (const object of parseAllDocuments(readFileSync(rights, 'utf8')).map(
      (document) => document.toJS() as KubeObject,
    ))
      await create(object);
    const user = 'system:serviceaccount:default:statefulset-operator';
    const client = createClient(server.transport({ user, groups: ['system:authenticated'] }));
    running = runOperator({ client, log: silentLogger }, stop.signal);
    await vi.waitFor(async () => {
      await api()
        .resource(stores.resource)
        .create({ metadata: key, spec: { replicas: 2 } });
    });
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await server.close();
  });

  const set = () => api().resource(statefulSets).get(key);
  const clusterIp = async (name: string) =>
    (
      await api()
        .resource(services)
        .get({ ...key, name })
    ).spec?.clusterIP;

  test('a store becomes a StatefulSet and three Services', async () => {
    await vi.waitFor(async () => expect((await set()).spec).toMatchObject({ replicas: 2, serviceName: 'example' }));
    expect(await clusterIp('example')).toBe('None');
    const { spec } = await api()
      .resource(services)
      .get({ ...key, name: 'example-write' });
    expect(spec?.selector?.['statefulset.kubernetes.io/pod-name']).toBe('example-0');
    expect(await clusterIp('example-read')).toMatch(/^10\./);
  });

  test('what a user deletes or changes is restored', async () => {
    await vi.waitFor(() => clusterIp('example-read'));
    await api()
      .resource(services)
      .delete({ ...key, name: 'example-read' });
    await vi.waitFor(() => clusterIp('example-read'));
    await api()
      .resource(statefulSets)
      .patch(key, { type: 'merge', patch: { spec: { replicas: 5 } } });
    await vi.waitFor(async () => expect((await set()).spec?.replicas).toBe(2));
  });

  test('more copies than the kind allows are refused', async () => {
    const patch = { type: 'merge', patch: { spec: { replicas: 6 } } } as const;
    const error = await api()
      .resource(stores.resource)
      .patch(key, patch)
      .catch((cause: unknown) => cause);
    expect(isKubeError(error, 'Invalid')).toBe(true);
  });
});

describe('the status of a store', () => {
  const set = (status: object, replicas = 2) => ({
    metadata: { ...key, generation: 3 },
    spec: { replicas, serviceName: 'example', selector: {}, template: {} },
    status: { replicas: 2, observedGeneration: 3, ...status },
  });
  const ready = (...args: Parameters<typeof set>) => statusOf(store, set(...args), 0).conditions?.[0]?.status;

  test('is ready when every copy is up to date, of the present template and seen by the StatefulSet controller', () => {
    expect(ready({ readyReplicas: 2, updatedReplicas: 2 })).toBe('True');
    expect(ready({ readyReplicas: 1, updatedReplicas: 2 })).toBe('False');
    expect(ready({ readyReplicas: 2, updatedReplicas: 1 })).toBe('False');
    expect(ready({ readyReplicas: 2, updatedReplicas: 2, observedGeneration: 2 })).toBe('False');
    expect(ready({ readyReplicas: 2, updatedReplicas: 2 }, 3)).toBe('False');
    expect(statusOf(store, undefined, 0)).toMatchObject({ readyReplicas: 0, primary: 'example-0' });
  });

  test('does not change while nothing does', () => {
    const first = statusOf(store, set({ readyReplicas: 1 }), 0);
    expect(statusOf({ ...store, status: first }, set({ readyReplicas: 1 }), 60_000)).toEqual(first);
  });
});
