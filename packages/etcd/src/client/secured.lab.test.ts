// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestAuthority } from '@etcd-operator/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdLab, type EtcdProcess } from '../testing/etcd-process.ts';
import type { TlsMaterial } from './dialer.ts';
import { toBytes } from './services/kv.ts';

let lab: EtcdLab;
beforeAll(async () => {
  lab = await EtcdLab.open();
});
afterAll(() => lab[Symbol.asyncDispose]());

describe('operator rule 18: a member that wants client certificates', () => {
  const serverName = 'example-bcdfghjklm.example.default.svc';
  let authority: TestAuthority;
  let member: EtcdProcess;
  let material: TlsMaterial;

  const file = (name: string) => join(lab.directory, name);
  const writeLeaf = async (until?: string) => {
    const options = { names: [serverName, '127.0.0.1'], ...(until ? { until } : {}) };
    const leaf = await authority.issue(options);
    await Promise.all([writeFile(file('server.crt'), leaf.cert), writeFile(file('server.key'), leaf.key)]);
  };

  beforeAll(async () => {
    authority = await TestAuthority.create('lab');
    await writeFile(file('ca.crt'), authority.ca);
    await writeLeaf();
    material = { ca: authority.ca, ...(await authority.issue({ names: ['operator'] })) };
    member = await lab.member();
    const args = [
      '--client-cert-auth=true',
      `--trusted-ca-file=${file('ca.crt')}`,
      `--cert-file=${file('server.crt')}`,
      `--key-file=${file('server.key')}`,
    ];
    await member.start({ tls: { args, material } });
  });

  test('answers who has one, under the name that is expected', async () => {
    expect((await member.client({ serverName }).maintenance.status()).version).toBe('3.6.16');
  });

  test('is refused under another name', async () => {
    const status = member.client({ serverName: 'other.example.default.svc' }).maintenance.status();
    await expect(status).rejects.toMatchObject({ code: 'TlsFailed' });
  });

  test('refuses a client without a certificate, or with one of another CA; this is reported as a TLS error', async () => {
    const another = await TestAuthority.create('another');
    const foreign = { ca: authority.ca, ...(await another.issue({ names: ['operator'] })) };
    for (const tls of [{ ca: authority.ca }, foreign]) {
      const status = member.client({ tls: () => tls }).maintenance.status();
      await expect(status).rejects.toMatchObject({ code: 'TlsFailed' });
    }
  });

  test('is not spoken to in plain text by accident', async () => {
    const status = member.client({ tls: () => undefined }).maintenance.status({ timeoutMs: 2_000 });
    await expect(status).rejects.toMatchObject({ code: expect.stringMatching(/Unavailable|BadResponse/) });
  });

  test('may replace its certificate while it runs; one that has expired is refused', async () => {
    const client = member.client();
    await client.maintenance.status();
    await writeLeaf('2020-01-01T00:00:00Z');
    expect((await client.maintenance.status()).version).toBe('3.6.16');
    await expect(member.client().maintenance.status()).rejects.toMatchObject({ code: 'TlsFailed' });
    await writeLeaf();
    expect((await member.client().maintenance.status()).version).toBe('3.6.16');
  });

  test('streams a snapshot over TLS', async () => {
    let bytes = 0;
    for await (const piece of member.client().maintenance.snapshot()) bytes += piece.byteLength;
    expect(bytes % 512).toBe(32);
  });
});

describe('access control', () => {
  let member: EtcdProcess;
  const root = { name: 'root', password: 'rooted' };
  const put = { key: toBytes('k'), value: toBytes('v') };

  beforeAll(async () => {
    member = await (await lab.member()).start();
    const client = member.client();
    await client.auth.userAdd(root.name, root.password);
    await client.auth.roleAdd('root');
    await client.auth.userGrantRole('root', 'root');
    await client.auth.userAdd('reader', 'reads');
    await client.auth.roleAdd('read-a');
    await client.auth.roleGrantPermission('read-a', { kind: 'read', key: toBytes('a') });
    await client.auth.userGrantRole('reader', 'read-a');
  });

  test('a login does no harm while it is off', async () => {
    const client = member.client({ login: () => root });
    expect((await client.auth.status()).enabled).toBe(false);
    await client.kv.put(put);
  });

  test('once it is on, the same client logs in by itself', async () => {
    const client = member.client({ login: () => root });
    await client.kv.put(put);
    await client.auth.enable();
    await client.kv.put(put);
    expect((await client.auth.status()).enabled).toBe(true);
    expect((await client.cluster.memberList()).members).toHaveLength(1);
    expect([await client.auth.userList(), await client.auth.userRoles('reader')]).toEqual([
      ['reader', 'root'],
      ['read-a'],
    ]);
    expect(await client.auth.roleList()).toEqual(['read-a', 'root']);
  });

  test('who does not log in, or not rightly, is told so', async () => {
    await expect(member.client().kv.put(put)).rejects.toMatchObject({ code: 'LoginRequired', outcomeUnknown: false });
    const wrong = member.client({ login: () => ({ name: 'root', password: 'wrong' }) });
    await expect(wrong.kv.put(put)).rejects.toMatchObject({ code: 'LoginFailed', outcomeUnknown: false });
  });

  test('who may not is told so', async () => {
    const reader = member.client({ login: () => ({ name: 'reader', password: 'reads' }) });
    expect((await reader.kv.range({ key: toBytes('a') })).count).toBe(0n);
    await expect(reader.kv.put(put)).rejects.toMatchObject({ code: 'PermissionDenied', outcomeUnknown: false });
    await expect(reader.auth.userDelete('root')).rejects.toMatchObject({ code: 'PermissionDenied' });
  });

  test('a token that is lost with the process is replaced without the caller noticing', async () => {
    const client = member.client({ login: () => root });
    const { header } = await client.kv.put(put);
    await member.stop();
    await member.start();
    expect((await client.kv.put(put)).header.revision).toBe(header.revision + 1n);
  });

  test('a snapshot can be taken with a login, and not without', async () => {
    let bytes = 0;
    for await (const piece of member.client({ login: () => root }).maintenance.snapshot()) bytes += piece.byteLength;
    expect(bytes % 512).toBe(32);
    const refused = member.client().maintenance.snapshot()[Symbol.asyncIterator]().next();
    await expect(refused).rejects.toMatchObject({
      code: expect.stringMatching(/LoginRequired|PermissionDenied|InvalidAuthToken/),
    });
  });

  test('it can be turned off again', async () => {
    const client = member.client({ login: () => root });
    await client.auth.disable();
    await member.client().kv.put(put);
    await client.auth.userDelete('reader');
    await client.auth.roleDelete('read-a');
    await expect(client.auth.userDelete('reader')).rejects.toMatchObject({ code: 'NameNotFound' });
    await expect(client.auth.roleAdd('root')).rejects.toMatchObject({ code: 'NameExists' });
  });
});
