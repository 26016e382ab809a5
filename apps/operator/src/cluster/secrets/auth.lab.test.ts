// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { secrets } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const login = { name: 'root', password: 'correct horse' };

async function writeLogin(secret: string, password: string): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const data = { username: encode(login.name), password: encode(password) };
  await ground.lab
    .client()
    .resource(secrets)
    .apply(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret, namespace: 'default' }, data },
      { fieldManager: 'test', force: true },
    );
}

async function enableAuth(cluster: string): Promise<void> {
  using member = await ground.member(cluster);
  await member.auth.userAdd(login.name, login.password);
  await member.auth.roleAdd('root');
  await member.auth.userGrantRole(login.name, 'root');
  await member.auth.enable();
}

/** A client of one pod that logs in. */
async function asRoot(cluster: string): Promise<MemberClient> {
  const pod = (await ground.pods(cluster)).find(
    ({ metadata, status }) => metadata?.deletionTimestamp === undefined && status?.podIP,
  );
  return new MemberClient({
    target: { host: pod?.status?.podIP ?? '', port: clientPort },
    clock: systemClock,
    dial: ({ host, port }) => ground.lab.dial(host, port),
    login: () => login,
  });
}

async function readAsRoot(cluster: string, key: string): Promise<string | undefined> {
  using member = await asRoot(cluster);
  const { kvs } = await member.kv.range({ key: Buffer.from(key) });
  return kvs[0] && Buffer.from(kvs[0].value).toString();
}

const memberIds = async (cluster: string) =>
  (await ground.get(cluster)).status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];

describe('[69] a cluster whose access control is on', () => {
  test('is looked after with the credentials of spec.auth.secret: a lost member is replaced', async () => {
    await writeLogin('root-login', login.password);
    await ground.create('closed', { size: 3, auth: { secret: 'root-login' } });
    await ground.settled('closed');
    await ground.put('closed', 'a', '1');
    await enableAuth('closed');
    await expect(ground.read('closed', 'a')).rejects.toThrow('user name is empty');
    const [victim] = await ground.pods('closed');
    const before = await memberIds('closed');
    await ground.deletePod(victim?.metadata?.name ?? '', 0);
    await ground.until('another member', async () =>
      (await memberIds('closed')).join() === before.join() ? undefined : true,
    );
    await ground.settled('closed');
    expect(await readAsRoot('closed', 'a')).toBe('1');
  });

  test('it grows, and the password can be changed on the way', async () => {
    const changed = 'battery staple';
    using member = await asRoot('closed');
    await member.auth.userChangePassword(login.name, changed);
    await writeLogin('root-login', changed);
    login.password = changed;
    await ground.change('closed', { size: 4 });
    const cluster = await ground.settled('closed');
    expect(cluster.status?.readySize).toBe(4);
    expect(await readAsRoot('closed', 'a')).toBe('1');
  });

  test('without credentials that is said, nothing is changed, and naming them is enough', async () => {
    await ground.create('forgotten', { size: 1 });
    await ground.settled('forgotten');
    await enableAuth('forgotten');
    await ground.change('forgotten', { size: 3 });
    const words = await ground.until('said', async () => {
      const { plan, conditions } = (await ground.get('forgotten')).status ?? {};
      const text = JSON.stringify([plan, conditions]);
      return text.includes('spec.auth') ? text : undefined;
    });
    expect(words).toContain('spec.auth.secret');
    expect(await ground.pods('forgotten')).toHaveLength(1);
    await ground.change('forgotten', { auth: { secret: 'root-login' } });
    expect((await ground.settled('forgotten')).status?.readySize).toBe(3);
  });

  test('no password is in a log, an event or a status', async () => {
    const status = JSON.stringify((await ground.get('closed')).status);
    const log = JSON.stringify(ground.log);
    for (const word of ['correct horse', 'battery staple']) expect(`${status}${log}`).not.toContain(word);
  });
});
