// SPDX-License-Identifier: Apache-2.0

import { TestAuthority } from '@etcd-operator/tools';
import { namespaces } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsSecret, BackupLab } from '../../../testing/backup-lab.ts';
import { secureMember } from '../../testing/secure-member.ts';

let ground: BackupLab;
let authority: TestAuthority;

beforeAll(async () => {
  ground = await BackupLab.start({ operator: { clusterWide: true } });
  authority = await TestAuthority.create('lab');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const reasonOf = async (name: string, namespace?: string) => {
  const { conditions } = await ground.status(name, ({ attempts }) => (attempts ?? 0) > 0, 180_000, namespace);
  return conditions?.find(({ type }) => type === 'Succeeded')?.reason;
};

describe('[78] TLS to etcd', () => {
  test('by a Secret with either set of keys; a wrong one is named as such', async () => {
    const { member } = await secureMember(ground, authority);
    const { cert, key } = await authority.issue({ usages: ['clientAuth'] });
    const stranger = await TestAuthority.create('stranger');
    const ca = authority.ca;
    await ground.secret('own', { 'etcd-client.crt': cert, 'etcd-client.key': key, 'etcd-client-ca.crt': ca });
    await ground.secret('typed', { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca });
    await ground.secret('strange', { 'tls.crt': cert, 'tls.key': key, 'ca.crt': stranger.ca });
    await ground.secret('half', { 'tls.crt': cert });
    const spec = (name: string, clientTLSSecret: string) => ({
      ...ground.toS3(name, []),
      etcdEndpoints: [`https://127.0.0.1:${member.clientPort}`],
      clientTLSSecret,
    });
    for (const name of ['own', 'typed', 'strange', 'half']) await ground.create(`tls-${name}`, spec(name, name));
    await ground.succeeded('tls-own');
    await ground.succeeded('tls-typed');
    expect(await reasonOf('tls-strange')).toBe('TLSFailed');
    expect(await reasonOf('tls-half')).toBe('SecretInvalid');
    expect((await ground.get('tls-half')).status?.Reason).toContain('etcd-client.crt');
  });
});

describe('a cluster with access control', () => {
  test('is backed up with the login of a Secret, and says so without one', async () => {
    const member = await ground.etcd();
    const { auth } = member.client();
    await auth.roleAdd('root');
    await auth.userAdd('root', 'MARKER-password');
    await auth.userGrantRole('root', 'root');
    await auth.enable();
    await ground.secret('login', { username: 'root', password: 'MARKER-password' });
    await ground.create('login', { ...ground.toS3('login', [member]), auth: { secret: 'login' } });
    await ground.succeeded('login');
    await ground.create('nobody', ground.toS3('nobody', [member]));
    expect(await reasonOf('nobody')).toBe('AuthenticationFailed');
    expect(JSON.stringify([ground.log, await ground.get('login')])).not.toContain('MARKER-password');
  });
});

describe('[78] a time limit', () => {
  test('ends a backup whose etcd does not answer, and names itself; it delays no other backup', async () => {
    const [deaf, good] = [await ground.etcd(), await ground.etcd()];
    await deaf.freeze();
    const limited = { backupPolicy: { timeoutInSecond: 2 } };
    for (let index = 0; index < 12; index++)
      await ground.create(`deaf-${index}`, ground.toS3(`deaf-${index}`, [deaf], limited));
    await ground.create('good', ground.toS3('good', [good]));
    await ground.succeeded('good');
    expect(await reasonOf('deaf-0')).toBe('Timeout');
    expect((await ground.get('deaf-0')).status?.Reason).toContain('did not finish within 2 s');
    deaf.thaw();
    await ground.succeeded('deaf-0');
  });
});

describe('[88] cluster-wide', () => {
  test('security rule 5: every reference is resolved in the namespace of the object', async () => {
    const client = ground.lab.client();
    await client.resource(namespaces).create({ metadata: { name: 'tenant' } });
    const member = await ground.etcd();
    const spec = ground.toS3('tenant', [member]);
    await ground.create('other', spec, { namespace: 'tenant' });
    expect(await reasonOf('other', 'tenant')).toBe('SecretMissing');
    await ground.secret(awsSecret, ground.awsFiles(), 'tenant');
    await ground.create('again', spec, { namespace: 'tenant' });
    await ground.status('again', ({ succeeded }) => succeeded === true, 180_000, 'tenant');
  });
});
