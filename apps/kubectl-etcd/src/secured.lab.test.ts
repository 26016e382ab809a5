// SPDX-License-Identifier: Apache-2.0

import { TestAuthority } from '@etcd-operator/tools';
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { pods, secrets } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PluginLab } from './testing/plugin-lab.ts';

const namespace = 'default';
const login = { name: 'root', password: 'correct horse' };
const memberNames = ['*.safe.default.svc', '*.safe.default.svc.cluster.local'];

let ground: PluginLab;
let authority: TestAuthority;
beforeAll(async () => {
  [ground, authority] = await Promise.all([PluginLab.start(2), TestAuthority.create('lab')]);
  await secret('safe-peer', await certificate(memberNames));
  await secret('safe-server', await certificate([...memberNames, 'safe-client.default.svc', 'localhost']));
  await secret('safe-client', await certificate([]));
  await secret('root-login', { username: login.name, password: login.password });
  const member = { peerSecret: 'safe-peer', serverSecret: 'safe-server' };
  const TLS = { static: { member, operatorSecret: 'safe-client' } };
  await ground.cluster('safe', { size: 2, TLS, auth: { secret: 'root-login' } });
  await enableAuth();
}, 300_000);
afterAll(() => ground?.[Symbol.asyncDispose]());

async function certificate(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { cert, key } = await authority.issue({ names, ...(names.length === 0 && { usages: ['clientAuth'] }) });
  return { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca };
}

async function secret(name: string, stringData: Readonly<Record<string, string>>): Promise<void> {
  await ground.lab.client().resource(secrets).create({ metadata: { name, namespace }, stringData });
}

async function enableAuth(): Promise<void> {
  const { items } = await ground.lab.client().resource(pods).list({ namespace, labelSelector: 'etcd_cluster=safe' });
  const { cert, key } = await authority.issue({ usages: ['clientAuth'] });
  const tls = { cert, key, ca: authority.ca };
  using member = new MemberClient({
    target: { host: items[0]?.status?.podIP ?? '', port: clientPort },
    serverName: 'safe-client.default.svc',
    clock: systemClock,
    tls: () => tls,
    dial: ({ host, port }) => ground.lab.dial(host, port),
  });
  await member.auth.userAdd(login.name, login.password);
  await member.auth.roleAdd('root');
  await member.auth.userGrantRole(login.name, 'root');
  await member.auth.enable();
}

test('with TLS and authentication the credentials come from the Secrets that the cluster names', async () => {
  const listed = await ground.prints('members safe -o json', /"Follower"/);
  const { members } = JSON.parse(listed.out) as {
    members: readonly { readonly name: string; readonly role: string }[];
  };
  const follower = members.find(({ role }) => role === 'Follower')?.name ?? '';
  await ground.prints(`move-leader safe ${follower}`, new RegExp(`^${follower} leads already`));
  expect(await ground.prints('plan safe', /No steps\./)).toMatchObject({ status: 0 });
  expect(await ground.prints('status safe', /2 of 2 ready/)).toMatchObject({ status: 0 });
  const asked = await ground.prints(
    'exec safe -- etcdctl endpoint status',
    /https:\/\/safe-\w+\.safe\.default\.svc:2379/,
  );
  expect(asked.status).toBe(0);
}, 300_000);
