// SPDX-License-Identifier: Apache-2.0

import { TestAuthority } from '@etcd-operator/tools';
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { secrets } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';

let ground: OperatorLab;
let authority: TestAuthority;

beforeAll(async () => {
  ground = await OperatorLab.start();
  authority = await TestAuthority.create('lab');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

async function secret(
  name: string,
  keys: { cert: string; key: string; ca: string },
  names: readonly string[],
): Promise<void> {
  const { cert, key } = await authority.issue({ names, ...(names.length === 0 && { usages: ['clientAuth'] }) });
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const data = { [keys.cert]: encode(cert), [keys.key]: encode(key), [keys.ca]: encode(authority.ca) };
  await ground.lab
    .client()
    .resource(secrets)
    .create({ metadata: { name, namespace: 'default' }, data });
}

const membersOf = (cluster: string) => [`*.${cluster}.default.svc`, `*.${cluster}.default.svc.cluster.local`];
const peerKeys = { cert: 'peer.crt', key: 'peer.key', ca: 'peer-ca.crt' };
const serverKeys = { cert: 'server.crt', key: 'server.key', ca: 'server-ca.crt' };
const clientKeys = { cert: 'etcd-client.crt', key: 'etcd-client.key', ca: 'etcd-client-ca.crt' };
const kubernetesKeys = { cert: 'tls.crt', key: 'tls.key', ca: 'ca.crt' };

const tls = (name: string) => ({
  static: { member: { peerSecret: `${name}-peer`, serverSecret: `${name}-server` }, operatorSecret: `${name}-client` },
});

describe('[67] TLS between members and for clients', () => {
  test("a cluster with secrets in CoreOS's form comes up and speaks nothing but TLS (C-28)", async () => {
    await secret('safe-peer', peerKeys, membersOf('safe'));
    await secret('safe-server', serverKeys, [...membersOf('safe'), 'safe-client.default.svc', 'localhost']);
    await secret('safe-client', clientKeys, []);
    await ground.create('safe', { size: 3, TLS: tls('safe') });
    await ground.settled('safe');
    const [pod] = await ground.pods('safe');
    using plain = new MemberClient({
      target: { host: pod?.status?.podIP ?? '', port: clientPort },
      clock: systemClock,
      dial: ({ host, port }) => ground.lab.dial(host, port),
    });
    await expect(plain.maintenance.status()).rejects.toThrow('Maintenance/Status');
  });

  test('[68] secrets of type kubernetes.io/tls do as well', async () => {
    await secret('typed-peer', kubernetesKeys, membersOf('typed'));
    await secret('typed-server', kubernetesKeys, [...membersOf('typed'), 'typed-client.default.svc', 'localhost']);
    await secret('typed-client', kubernetesKeys, []);
    await ground.create('typed', { size: 1, TLS: tls('typed') });
    expect((await ground.settled('typed')).status?.readySize).toBe(1);
  });

  test('operator rule 18: a secret that would fail is reported before any pod is made, and mending it is enough', async () => {
    await secret('wrong-peer', peerKeys, ['*.other.default.svc']);
    await ground.create('wrong', { size: 1, TLS: { static: { member: { peerSecret: 'wrong-peer' } } } });
    const words = await ground.until('reported', async () => {
      const text = (await ground.get('wrong')).status?.plan?.waitingFor?.join() ?? '';
      return text.includes('does not cover') ? text : undefined;
    });
    expect(words).toContain('secret/wrong-peer');
    expect(await ground.pods('wrong')).toEqual([]);
  });
});
