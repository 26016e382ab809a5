// SPDX-License-Identifier: Apache-2.0

import { TestAuthority } from '@etcd-operator/tools';
import { type Dialer, MemberClient } from '@operator-parts/etcd';
import { createClient, secrets } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clusterWith } from '../../testing/api-server-scene.ts';
import { ClusterSecrets } from './cluster-secrets.ts';

const { signal } = new AbortController();
const cluster = clusterWith(
  'c',
  {
    size: 3,
    auth: { secret: 'login' },
    TLS: { static: { member: { serverSecret: 'server' }, operatorSecret: 'client' } },
  },
  { uid: 'u1', generation: 1 },
);
let authority: TestAuthority;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  authority = await TestAuthority.create();
});

beforeEach(async () => {
  client = createClient(createApiServer({}).transport());
  await write('login', { username: 'root', password: 'secret' });
});

async function write(name: string, content: Readonly<Record<string, string>>): Promise<void> {
  const encoded = Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  await client
    .resource(secrets)
    .create({ metadata: { namespace: 'default', name }, data: Object.fromEntries(encoded) });
}

describe('safety rule 11: a secret with our certificate that is not there', () => {
  test('opens no connection, least of all one in plain text that carries a password', async () => {
    const { credentials, problems } = await new ClusterSecrets(systemClock).check(cluster, client, signal);
    expect(problems).toContain('secret/client does not exist');
    let dialled = 0;
    const dial: Dialer = () => {
      dialled++;
      return Promise.reject(new Error('nobody is there'));
    };
    using member = new MemberClient({
      target: { host: '10.0.0.1', port: 2379 },
      clock: systemClock,
      dial,
      tls: () => credentials.tls,
      login: () => credentials.login,
    });
    await expect(member.maintenance.status({ signal })).rejects.toThrow('TLS handshake failed');
    expect(dialled).toBe(0);
  });

  test('leaves what was read before, so that the cluster is looked after on', async () => {
    const { cert, key } = await authority.client('operator');
    await write('client', { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca });
    const found = new ClusterSecrets(systemClock);
    const before = await found.check(cluster, client, signal);
    expect(before.credentials.tls).toEqual({ ca: authority.ca, cert, key });
    await client.resource(secrets).delete({ namespace: 'default', name: 'client' });
    const changed = { ...cluster, metadata: { ...cluster.metadata, generation: 2 } };
    const after = await found.check(changed, client, signal);
    expect(after.problems).toContain('secret/client does not exist');
    expect(after.credentials.tls).toBe(before.credentials.tls);
  });

  test('a cluster without TLS has no certificates', async () => {
    const plain = clusterWith('p', { size: 1, auth: { secret: 'login' } }, { uid: 'u2', generation: 1 });
    const { credentials, problems } = await new ClusterSecrets(systemClock).check(plain, client, signal);
    expect(problems).toEqual([]);
    expect(credentials).toEqual({ tls: undefined, login: { name: 'root', password: 'secret' } });
  });
});
