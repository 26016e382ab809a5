// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { etcdClusters } from '@etcd-operator/operator';
import { pods, secrets } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ProcessIo, runCommand } from './run-command.ts';
import { PluginLab } from './testing/plugin-lab.ts';

const namespace = 'default';
const planted = { secret: 'planted-in-a-secret', variable: 'planted-in-a-variable', logged: 'planted-in-a-log' };

let ground: PluginLab;
beforeAll(async () => {
  ground = await PluginLab.start(2);
  const stringData = { username: 'root', password: planted.secret };
  await ground.lab
    .client()
    .resource(secrets)
    .create({ metadata: { name: 'login', namespace }, stringData });
  const etcdEnv = [
    { name: 'ETCD_ROOT_PASSWORD', value: planted.variable },
    { name: 'ETCD_LOG_LEVEL', value: 'debug' },
  ];
  await ground.cluster('example', { size: 2, auth: { secret: 'login' }, pod: { etcdEnv } });
}, 300_000);
afterAll(() => ground?.[Symbol.asyncDispose]());

const type = (line: string) => ground.type(line);

async function memberNames(): Promise<readonly string[]> {
  const { items } = await ground.lab.client().resource(pods).list({ namespace, labelSelector: 'etcd_cluster=example' });
  return items.map(({ metadata }) => metadata?.name ?? '').sort();
}

test('list shows all clusters, of all namespaces too, for people and for programs', async () => {
  const listed = await ground.prints('list -A', /example +2\/2 +3\.6\.\d+ +Running +True +Ready: Cluster available/);
  expect(listed).toMatchObject({ status: 0, err: '' });
  expect(JSON.parse((await type('list -o json')).out)).toMatchObject([
    { name: 'example', ready: 2, available: 'True' },
  ]);
  expect((await type('list -n empty')).out).toBe('There is no EtcdCluster.\n');
}, 300_000);

test('exec runs etcdctl with the endpoints of all members, and ends as it does', async () => {
  expect(await type('exec -- etcdctl put greeting hello')).toMatchObject({ status: 0, out: 'OK\n' });
  expect(await type('exec example -- etcdctl get greeting')).toMatchObject({ status: 0, out: 'greeting\nhello\n' });
  const [one = '', other = ''] = await memberNames();
  const all = await type('exec -- etcdctl endpoint status');
  expect(all.out).toContain(`http://${one}.example.default.svc:2379`);
  expect(all.out).toContain(`http://${other}.example.default.svc:2379`);
  const alone = await type(`exec --member ${one} -- etcdctl endpoint status`);
  expect(alone.out).not.toContain(other);
  expect((await type('exec -- etcdctl get')).status).not.toBe(0);
  expect(await type('exec --member nobody -- etcdctl get x')).toMatchObject({
    status: 1,
    err: expect.stringContaining('nobody is not a member of EtcdCluster example; its members are: example-'),
  });
}, 300_000);

test('exec hands over what a program reads and writes byte for byte', async () => {
  // A byte order mark, what is no UTF-8, zero, and half of a character.
  const bytes = Buffer.from('efbbbfff00c3', 'hex');
  const written: Buffer[] = [];
  const io: ProcessIo = {
    env: { KUBECONFIG: ground.lab.kubeconfigPath },
    out: (piece) => written.push(Buffer.from(piece)),
    err: (piece) => written.push(Buffer.from(piece)),
    readFile: async () => '',
    stdin: Readable.from([bytes]),
  };
  const { signal } = new AbortController();
  expect(await runCommand('exec -i -- etcdctl put raw'.split(' '), io, signal)).toBe(0);
  expect(written.splice(0).join('')).toBe('OK\n');
  expect(await runCommand('exec -- etcdctl get raw --print-value-only'.split(' '), io, signal)).toBe(0);
  expect(Buffer.concat(written).toString('hex')).toBe(`${bytes.toString('hex')}0a`);
}, 300_000);

test('logs and events tell what members and operator have done', async () => {
  const [one = '', other = ''] = await memberNames();
  const both = await type('logs --tail 3');
  expect(both.out).toContain(`${one}  {"level":`);
  expect(both.out).toContain(`${other}  {"level":`);
  expect((await type(`logs example --member ${one} --tail 1`)).out).toMatch(/^\{"level":/);
  expect(JSON.parse((await type('logs --tail 2 -o json')).out)).toHaveLength(4);
  expect((await type('events')).out).toMatch(/Normal +etcdcluster\/example +New Member Added/);
}, 300_000);

test('exec -i hands over standard input, and only then', async () => {
  expect(await ground.type('exec -i -- etcdctl put motd', 'from standard input')).toMatchObject({
    status: 0,
    out: 'OK\n',
  });
  expect((await type('exec -- etcdctl get motd --print-value-only')).out).toBe('from standard input\n');
  expect((await ground.type('exec -- etcdctl put motd', 'not wanted')).status).not.toBe(0);
}, 300_000);

test('logs --follow goes on with new lines of every member until it is interrupted', async () => {
  const [one = '', other = ''] = await memberNames();
  const marker = 'seen-by-those-who-follow';
  // The members write side by side: one may be read before the other has begun.
  const isWhole = (out: string) => [marker, one, other].every((word) => out.includes(word));
  const followed = ground.typeUntil('logs --follow --tail 1', isWhole);
  const asJson = ground.typeUntil('logs --follow --tail 1 -o json', isWhole);
  // Debug logs name the key of every read.
  await ground.prints(`exec -- etcdctl get ${marker}`, /^$/);
  expect(await followed).toMatchObject({ status: 0, err: '', out: expect.stringContaining(`${one}  {"level":`) });
  const { status, out, err } = await asJson;
  expect({ status, err }).toEqual({ status: 0, err: '' });
  const lines = out.trimEnd().split('\n');
  const members = lines.map((line) => (JSON.parse(line) as { readonly member: string }).member);
  expect(new Set(members)).toEqual(new Set([one, other]));
}, 300_000);

test('logs --previous shows why the process before ended', async () => {
  const [one = ''] = await memberNames();
  expect((await type('logs --previous')).out).toContain('(no log: ');
  await ground.lab.faults.pod.outOfMemory({ namespace, name: one });
  await ground.prints(`logs --member ${one} --previous --tail 5`, /^\{"level":/);
}, 300_000);

test('pause keeps the operator from acting, and resume lets it', async () => {
  expect((await type('pause example')).out).toBe(
    'EtcdCluster example is paused. The operator does not change or repair this cluster until you run kubectl etcd resume.\n',
  );
  expect((await type('pause example')).out).toBe('EtcdCluster example is paused already.\n');
  await ground.prints('list', /Ready: Paused/);
  const clusters = ground.lab.client().resource(etcdClusters.resource);
  await clusters.patch({ namespace, name: 'example' }, { type: 'merge', patch: { spec: { size: 1 } } });
  await ground.prints('doctor', /LATER +etcdcluster\/example -n default: Paused, and changed since/);
  await clusters.patch({ namespace, name: 'example' }, { type: 'merge', patch: { spec: { size: 2 } } });
  expect((await type('resume example -o json')).out).toContain('"paused": false');
  await ground.prints('list', /Ready: Cluster available/);
}, 300_000);

test('a restore over a cluster that exists is not begun without --yes', async () => {
  const line = 'restore example --store s3://bucket/key --secret aws';
  expect(await type(line)).toEqual({
    status: 2,
    out: '',
    err: 'error: EtcdCluster example exists and serves clients: the restore replaces all its data with the backup. To restore anyway, add --yes.\n',
  });
}, 300_000);

test('report holds what helps, and none of the secrets that were planted', async () => {
  await type(`exec -- etcdctl get --prefix token=${planted.logged}`);
  const { status, out } = await type('report example');
  expect(status).toBe(0);
  const found = parse(out) as Readonly<Record<string, unknown>>;
  expect(Object.keys(found)).toEqual(
    expect.arrayContaining(['made', 'findings', 'etcd', 'operators', 'events', 'objects', 'logs']),
  );
  expect(out).toContain('name: ETCD_ROOT_PASSWORD');
  expect(out).toContain('ETCD_LOG_LEVEL');
  expect(out).toContain('{"level":');
  for (const secret of Object.values(planted)) {
    expect(out).not.toContain(secret);
    expect(out).not.toContain(Buffer.from(secret).toString('base64'));
  }
}, 300_000);

test('doctor says first what cannot wait, and fails then', async () => {
  const well = await ground.prints('doctor', /No backup/);
  expect(well).toMatchObject({ status: 0, err: '' });
  expect(well.out).not.toContain('NOW');
  const [one = ''] = await memberNames();
  await using _frozen = await ground.lab.faults.pod.freeze({ namespace, name: one });
  const ill = await ground.prints('doctor example', /^NOW +etcdcluster\/example -n default: not Available: QuorumLost/);
  expect(ill).toMatchObject({ status: 1, err: expect.stringMatching(/^error: \d findings? cannot wait\n$/) });
  expect(ill.out).toContain(
    'to do: Repair the nodes or volumes of the unreachable members; if their data is gone, follow the runbook quorum-lost.',
  );
  expect(ill.out.indexOf('NOW')).toBeLessThan(ill.out.indexOf('LATER'));
}, 300_000);
