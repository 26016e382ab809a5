// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';
import { ensurePart } from '@etcd-operator/tools';
import { clusterRoleBindings, createClient, pods, serviceAccounts } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { busyboxImages } from '../../images/busybox-image.ts';
import { createImageTable } from '../../images/image-table.ts';
import { type Lab, startLab } from '../../lab.ts';
import { adminIdentity } from '../identity.ts';
import { connectApiServer } from './connect-api-server.ts';

/** Another lab without nodes takes the place of the server elsewhere: it has an API server, controllers and a scheduler. */
let elsewhere: Lab;
let lab: Lab;

beforeAll(async () => {
  elsewhere = await startLab({ nodes: 0 });
  const { caPem } = await elsewhere.server.listen();
  lab = await startLab({
    nodes: 1,
    images: createImageTable([busyboxImages(await ensurePart('busybox'))]),
    server: await connectApiServer({
      url: elsewhere.url,
      caPem,
      token: await adminToken(),
      compact: async () => elsewhere.server.faults.compact(),
    }),
  });
});

afterAll(async () => {
  await lab?.stop();
  await elsewhere?.stop();
});

/** The token of an account that may do everything. */
async function adminToken(): Promise<string> {
  const client = elsewhere.client();
  const key = { namespace: 'kube-system', name: 'lab' };
  await client.resource(serviceAccounts).create({ metadata: key });
  await client.resource(clusterRoleBindings).create({
    metadata: { name: 'lab' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...key }],
  });
  const { status } = await client
    .resource(serviceAccounts)
    .subresource<{ readonly status?: { readonly token?: string } }>('token')
    .create(key, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } });
  return status?.token ?? '';
}

const key = (name: string) => ({ namespace: 'default', name });
const clientOf = (client: string) => createClient(lab.server.transport({ ...adminIdentity, client })).resource(pods);
const sleeper = (name: string) => ({
  metadata: key(name),
  spec: {
    containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'echo hello; exec sleep 600'] }],
    terminationGracePeriodSeconds: 0,
  },
});

async function runs(name: string): Promise<void> {
  await expect.poll(async () => (await clientOf('test').get(key(name))).status?.phase).toBe('Running');
}

test('pods of a server elsewhere run on the nodes of the lab, and their logs can be read', async () => {
  await clientOf('test').create(sleeper('runs'));
  await runs('runs');
  expect((await elsewhere.client().resource(pods).get(key('runs'))).spec?.nodeName).toBe('node-1');
  const { body } = await lab.server
    .transport()
    .request({ method: 'GET', path: '/api/v1/namespaces/default/pods/runs/log' });
  expect(await text(body)).toBe('hello\n');
  await clientOf('test').delete(key('runs'));
  await expect.poll(async () => (await clientOf('test').list()).items.length).toBe(0);
});

test('requests are refused and lost on the way, for the client that is meant', async () => {
  const refused = lab.server.faults.error({ client: 'victim', verb: 'list' }, { code: 429, retryAfterSeconds: 1 });
  await expect(clientOf('victim').list()).rejects.toMatchObject({ code: 'TooManyRequests' });
  await clientOf('other').list();
  refused.remove();
  using lost = lab.server.faults.loseAnswer({ client: 'victim', verb: 'create', count: 1 });
  await expect(clientOf('victim').create(sleeper('lost'))).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(lost.hits).toBe(1);
  expect((await clientOf('other').get(key('lost'))).metadata?.name).toBe('lost');
  await clientOf('other').delete(key('lost'));
});

test('watches send nothing, and are cut', async () => {
  const seen: string[] = [];
  const { metadata } = await clientOf('victim').list();
  const watch = async () => {
    for await (const event of clientOf('victim').watch({ resourceVersion: metadata.resourceVersion ?? '' }))
      if (event.type === 'ADDED') seen.push(event.object.metadata?.name ?? '');
  };
  const ended = watch().catch((error: unknown) => error);
  await clientOf('test').create(sleeper('seen'));
  await expect.poll(() => seen).toEqual(['seen']);
  const silence = lab.server.faults.stallWatches({ client: 'victim' });
  await clientOf('test').create(sleeper('unseen'));
  await runs('unseen');
  expect(seen).toEqual(['seen']);
  silence.remove();
  expect(await ended).toMatchObject({ code: 'ConnectionLost' });
  for (const name of ['seen', 'unseen']) await clientOf('test').delete(key(name));
});

test('a client is shown the past', async () => {
  await clientOf('test').create(sleeper('old'));
  await runs('old');
  const lag = lab.server.faults.lag({ client: 'victim', verb: ['list', 'watch'] }, 0, { staleReads: true });
  lag.freeze();
  await clientOf('test').delete(key('old'));
  await expect.poll(async () => (await clientOf('test').list()).items.length).toBe(0);
  expect((await clientOf('victim').list()).items.map(({ metadata }) => metadata?.name)).toEqual(['old']);
  lag.remove();
  expect((await clientOf('victim').list()).items).toEqual([]);
});

test('what only the server itself could do is refused', () => {
  expect(() => lab.server.faults.jumpClock(1_000)).toThrow(/another clock/);
  expect(() => lab.server.faults.admissionDown()).toThrow(/webhook/);
  expect(() => lab.server.faults.lag({}, 5)).toThrow(/versions/);
});
