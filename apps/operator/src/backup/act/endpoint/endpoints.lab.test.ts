// SPDX-License-Identifier: Apache-2.0
import { networkDialer } from '@operator-parts/etcd';
import { namespaces, secrets, services } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EtcdBackupSpec } from '../../../api/etcd-backup.ts';
import { labels, secretUse } from '../../../api/names.ts';
import { awsSecret, BackupLab } from '../../../testing/backup-lab.ts';
import { CredentialCollector } from '../../testing/credential-collector.ts';

/** What names resolve to. Every connection really goes to loopback, where the port selects the process. */
const names = new Map<string, readonly string[]>();
const network = {
  resolve: async (host: string) => names.get(host) ?? [],
  dial: (({ port }, signal) => networkDialer({ host: '127.0.0.1', port }, signal)) as typeof networkDialer,
};
const label = { [labels.use]: secretUse };
const login = { username: 'root', password: 'MARKER-password' };

let ground: BackupLab;

beforeAll(async () => {
  ground = await BackupLab.start({ operator: { clusterWide: true, network } });
  const client = ground.lab.client();
  await client.resource(namespaces).create({ metadata: { name: 'tenant' } });
  await ground.secret(awsSecret, ground.awsFiles(), 'tenant', label);
  await ground.pod('tenants-own', '10.244.1.1', { namespace: 'tenant' });
  await ground.pod('somebody-elses', '10.244.1.2');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const ofTenant = (key: string, endpoint: string, more: Partial<EtcdBackupSpec> = {}) =>
  ground.create(key, { ...ground.toS3(key, []), etcdEndpoints: [endpoint], ...more }, { namespace: 'tenant' });

const condition = async (name: string, type = 'Succeeded') => {
  const { conditions } = await ground.status(
    name,
    ({ attempts, succeeded }) => succeeded === true || (attempts ?? 0) > 0,
    180_000,
    'tenant',
  );
  return conditions?.find((found) => found.type === type);
};

describe('a cluster-wide operator', () => {
  test("backs up etcd in the namespace of the object, by a pod's address and by the names of a Service", async () => {
    const { clientPort } = await ground.etcd();
    const made = await ground.lab
      .client()
      .resource(services)
      .create({
        metadata: { name: 'kept-client', namespace: 'tenant' },
        spec: { selector: { app: 'etcd' }, ports: [{ port: 2379 }] },
      });
    for (const name of ['kept-client.tenant.svc', 'kept-client.tenant.svc.cluster.local'])
      names.set(name, [made.spec?.clusterIP ?? '']);
    const hosts = ['10.244.1.1', 'kept-client', 'kept-client.tenant', 'kept-client.tenant.svc.cluster.local'];
    for (const [index, host] of hosts.entries()) await ofTenant(`home-${index}`, `http://${host}:${clientPort}`);
    for (const index of hosts.keys())
      expect(await ground.succeeded(`home-${index}`, 180_000, 'tenant')).toMatchObject({ Reason: '' });
  });

  test('connects to nothing else for it, and says so in status, condition and event', async () => {
    await using thief = await CredentialCollector.open();
    names.set('kept-client.default.svc', ['10.244.1.2']);
    names.set('moved.tenant.svc', ['10.244.1.2']);
    const hosts = ['10.244.1.2', 'kept-client.default.svc', 'moved', '192.0.2.7', '169.254.169.254'];
    for (const [index, host] of hosts.entries()) await ofTenant(`away-${index}`, `http://${host}:${thief.port}`);
    for (const [index, host] of hosts.entries()) {
      const name = `away-${index}`;
      const found = await condition(name);
      expect(found).toMatchObject({ status: 'False', reason: 'EndpointNotAllowed' });
      expect(found?.message).toContain(host);
      await ground.until('event', async () =>
        (await ground.events(name, 'tenant')).find(({ reason }) => reason === 'EndpointNotAllowed'),
      );
    }
    expect(thief.connections).toBe(0);
  });

  test('gives no login away: not out of the namespace, and not in clear text from a Secret that was not labelled for it', async () => {
    await using thief = await CredentialCollector.open();
    await ground.secret('basic-auth', login, 'tenant');
    await ground.secret('labelled', login, 'tenant', label);
    const tries = [
      ['outside', '192.0.2.7', 'labelled', 'EndpointNotAllowed'],
      ['neighbour', '10.244.1.2', 'basic-auth', 'EndpointNotAllowed'],
      ['inside', '10.244.1.1', 'basic-auth', 'PlaintextLogin'],
    ] as const;
    for (const [name, host, secret] of tries)
      await ofTenant(`login-${name}`, `http://${host}:${thief.port}`, { auth: { secret } });
    for (const [name, , , reason] of tries) expect(await condition(`login-${name}`)).toMatchObject({ reason });
    expect({ connections: thief.connections, heard: thief.heard }).toEqual({ connections: 0, heard: '' });
    expect(JSON.stringify(ground.log)).not.toContain('MARKER-password');
  });

  test('logs in without TLS in the namespace of the object with a labelled Secret', async () => {
    const member = await ground.etcd();
    const { auth } = member.client();
    await auth.roleAdd('root');
    await auth.userAdd(login.username, login.password);
    await auth.userGrantRole(login.username, 'root');
    await auth.enable();
    await ofTenant('closed', `http://10.244.1.1:${member.clientPort}`, { auth: { secret: 'labelled' } });
    expect(await ground.succeeded('closed', 180_000, 'tenant')).toMatchObject({ Reason: '' });
  });

  test('warns of Secrets without the label, with the command that labels them', async () => {
    const { clientPort } = await ground.etcd();
    await ground.secret('unlabelled', ground.awsFiles(), 'tenant');
    const spec = ground.toS3('warned', []);
    await ofTenant('warned', `http://10.244.1.1:${clientPort}`, {
      s3: { ...spec.s3, awsSecret: 'unlabelled' },
      backupPolicy: { backupIntervalInSecond: 1 },
    });
    await ground.succeeded('warned', 180_000, 'tenant');
    const command = 'kubectl label secret --namespace tenant unlabelled etcd.database.coreos.com/use=backup';
    const found = await condition('warned', 'SecretsUnlabelled');
    expect(found).toMatchObject({ status: 'True', reason: 'LabelMissing' });
    expect(found?.message).toContain(command);
    await ground.until('event', async () =>
      (await ground.events('warned', 'tenant')).find(({ reason }) => reason === 'SecretUnlabelled'),
    );
    await ground.lab
      .client()
      .resource(secrets)
      .patch({ name: 'unlabelled', namespace: 'tenant' }, { type: 'merge', patch: { metadata: { labels: label } } });
    await ground.status(
      'warned',
      ({ conditions }) =>
        conditions?.some(
          ({ type, status, reason }) => type === 'SecretsUnlabelled' && status === 'False' && reason === 'AllLabelled',
        ) ?? false,
      180_000,
      'tenant',
    );
  });
});

test('with -require-secret-label a Secret without the label is not used, and neither store nor etcd hears of it', async () => {
  await using thief = await CredentialCollector.open();
  await using strict = await BackupLab.start({ operator: { network }, storage: { secretLabel: 'required' } });
  await strict.pod('own', '10.244.1.1');
  const endpoint = `http://10.244.1.1:${thief.port}`;
  await strict.create('store', { ...strict.toS3('store', []), etcdEndpoints: [endpoint] });
  await strict.secret('aws-labelled', strict.awsFiles(), 'default', label);
  await strict.secret('basic-auth', login);
  const { s3 } = strict.toS3('login', []);
  const spec = { ...strict.toS3('login', []), s3: { ...s3, awsSecret: 'aws-labelled' }, etcdEndpoints: [endpoint] };
  await strict.create('login', { ...spec, auth: { secret: 'basic-auth' } });
  for (const name of ['store', 'login']) {
    const { conditions } = await strict.status(name, ({ attempts }) => (attempts ?? 0) > 0);
    expect(conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({ reason: 'SecretNotLabelled' });
  }
  expect(thief.connections).toBe(0);
  const { clientPort } = await strict.etcd();
  await strict.create('sound', { ...spec, etcdEndpoints: [`http://10.244.1.1:${clientPort}`] });
  await strict.succeeded('sound');
});

test('an operator that manages only its own namespace connects to anything, but gives no password away without TLS', async () => {
  await using thief = await CredentialCollector.open();
  await using own = await BackupLab.start({ operator: { network } });
  await own.secret('basic-auth', login);
  const { clientPort } = await own.etcd();
  await own.create('anywhere', { ...own.toS3('anywhere', []), etcdEndpoints: [`http://192.0.2.7:${clientPort}`] });
  await own.succeeded('anywhere');
  const stolen = { ...own.toS3('stolen', []), etcdEndpoints: [`http://192.0.2.7:${thief.port}`] };
  await own.create('stolen', { ...stolen, auth: { secret: 'basic-auth' } });
  const { conditions } = await own.status('stolen', ({ attempts }) => (attempts ?? 0) > 0);
  expect(conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({ reason: 'PlaintextLogin' });
  expect(thief.connections).toBe(0);
});

test('an operator that manages a namespace other than its own keeps to that namespace', async () => {
  await using thief = await CredentialCollector.open();
  await using away = await BackupLab.start({ operator: { namespace: 'ops', namespaces: ['default'], network } });
  await away.create('away', { ...away.toS3('away', []), etcdEndpoints: [`http://192.0.2.7:${thief.port}`] });
  const { conditions } = await away.status('away', ({ attempts }) => (attempts ?? 0) > 0);
  expect(conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({ reason: 'EndpointNotAllowed' });
  expect(thief.connections).toBe(0);
});

test('what -allow-etcd-endpoints names is connected to, and gets no password without TLS', async () => {
  await using thief = await CredentialCollector.open();
  const endpoints = { granted: [{ pattern: '192.0.2.0/24', allowsPlainLogin: false }], refused: [] };
  await using granted = await BackupLab.start({ operator: { clusterWide: true, network, endpoints } });
  await granted.secret('labelled', login, 'default', label);
  const { clientPort } = await granted.etcd();
  const at = (key: string, port: number) => ({
    ...granted.toS3(key, []),
    etcdEndpoints: [`http://192.0.2.7:${port}`],
  });
  await granted.create('granted', at('granted', clientPort));
  await granted.succeeded('granted');
  await granted.create('stolen', { ...at('stolen', thief.port), auth: { secret: 'labelled' } });
  const { conditions } = await granted.status('stolen', ({ attempts }) => (attempts ?? 0) > 0);
  expect(conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({ reason: 'PlaintextLogin' });
  expect(thief.connections).toBe(0);
});
