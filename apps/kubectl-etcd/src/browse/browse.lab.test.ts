// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labEtcd } from '@operator-parts/etcd/testing';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { asListed, BrowseLab, type Shown } from '../testing/browse-lab.ts';
import type { StoredSeries } from './stored-backups.ts';

let lab: BrowseLab;
beforeAll(async () => {
  lab = await BrowseLab.start();
  await lab.secret('key', { key: Buffer.alloc(32, 0xa7).toString('base64') });
  await lab.secret('other-key', { key: Buffer.alloc(32, 0xb8).toString('base64') });
  await lab.put('/config/a', 'one');
  await lab.put('/config/b', 'two');
}, 300_000);
afterAll(() => lab?.[Symbol.asyncDispose]());

const urlOf = (key: string) => `s3://${lab.s3.bucket}/${key} --secret aws --endpoint ${lab.s3.endpoint} --path-style`;

test('browse shows what the member has at that revision, from S3, and restores nothing', async () => {
  const before = await lab.contents();
  await lab.backUp('plain', lab.inS3('plain'));
  const shown = await lab.browsed('plain');
  expect(shown).toMatchObject({ source: `${lab.s3.bucket}/plain`, cluster: 'example', verified: 'Manifest' });
  expect(asListed(shown)).toEqual(before);
  expect(shown.count).toBe(before.length);
  for (const revision of [2, 40, shown.revision - 1]) {
    const then = await lab.browsed(`plain --revision ${revision}`);
    expect(asListed(then)).toEqual(await lab.contents(BigInt(revision)));
  }
  expect(asListed(await lab.browsed(urlOf('plain')))).toEqual(before);
  const people = await lab.type('backup browse plain /config/');
  expect(people.out).toMatch(
    /MOD REVISION .* KEY\n.* 3 B {3}\/config\/a\n.* 3 B {3}\/config\/b\n2 keys, 6 B of values: /,
  );
  expect(people.out).not.toContain('one');
  expect((await lab.type('backup browse plain /config/a --values')).out).toContain('\n    one\n');
  expect(await lab.type('backup browse plain --revision 99999999')).toMatchObject({ status: 1, out: '' });
});

test('diff names what has changed in the cluster since, or between two revisions', async () => {
  await lab.backUp('before', lab.inS3('before'));
  expect(await lab.type('backup diff before live')).toMatchObject({ status: 0, err: '' });
  await lab.put('/config/a', 'three');
  await lab.put('/config/c', 'new');
  await lab.member.kv.deleteRange({ key: Buffer.from('/config/b') });
  const changed = await lab.type('backup diff before live /config/ --values');
  expect(changed.status).toBe(3);
  expect(changed.out).toMatch(/^~ \/config\/a {3}value: 3 B -> 5 B, revision \d+ -> \d+\n {4}- one\n {4}\+ three\n/);
  expect(changed.out).toMatch(
    /\n- \/config\/b {3}3 B, revision \d+\n {4}- two\n\+ \/config\/c {3}3 B, .*\n {4}\+ new\n/,
  );
  expect(changed.out).toMatch(/\nkeys: 1 added, 1 removed, 1 changed, 0 unchanged\n/);
  await lab.backUp('after', lab.inS3('after'));
  const json = await lab.type('backup diff before after -o json');
  expect(JSON.parse(json.out)).toMatchObject({
    changes: [{ change: 'changed', key: '/config/a' }, { change: 'removed' }, { change: 'added' }],
    added: 1,
    removed: 1,
    changed: 1,
  });
  expect(json.out).not.toContain('three');
  const { revision } = JSON.parse((await lab.type('backup browse before -o json')).out) as Shown;
  const within = await lab.type(`backup diff after after /config/ --revision ${revision}`);
  expect(within).toMatchObject({ status: 3, out: expect.stringContaining('1 added, 1 removed, 1 changed') });
});

test('an encrypted backup is shown to who has the key', async () => {
  await lab.backUp('sealed', { ...lab.inS3('sealed'), encryption: { secret: 'key' } });
  const now = await lab.contents();
  const shown = await lab.browsed('sealed');
  expect(shown.verified).toBe('Manifest');
  expect(asListed(shown)).toEqual(now);
  const url = urlOf('sealed');
  expect(asListed(await lab.browsed(`${url} --encryption-secret key`))).toEqual(now);
  expect(await lab.type(`backup browse ${url} --encryption-secret other-key`)).toMatchObject({ status: 1, out: '' });
  const none = await lab.type(`backup browse ${url}`);
  expect(none).toMatchObject({ status: 1, out: '', err: expect.stringContaining('is encrypted') });
});

const listed = async (line: string): Promise<readonly StoredSeries[]> => {
  const { status, out, err } = await lab.type(`backup list ${line} -o json`);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  return JSON.parse(out) as readonly StoredSeries[];
};

test('of a backup that is damaged nothing is shown, and one without its manifest says so', async () => {
  await lab.backUp('folder', { storageType: 'Directory', directory: { path: 'etcd.backup' } });
  expect(await lab.type('backup browse folder')).toMatchObject({
    status: 2,
    err: expect.stringContaining('--directory PATH'),
  });
  const line = `folder --directory ${lab.directory}`;
  expect(asListed(await lab.browsed(line))).toEqual(await lab.contents());
  const file = join(lab.directory, 'default', 'etcd.backup');
  const manifest = `${file}.manifest.json`;
  const sound = await readFile(file);
  const damaged = Buffer.from(sound);
  damaged.writeUInt8(damaged.readUInt8(9_000) ^ 1, 9_000);
  await writeFile(file, damaged);
  const shown = await lab.type(`backup browse ${line}`);
  expect(shown).toMatchObject({ status: 1, out: '', err: expect.stringContaining('damaged') });
  await writeFile(file, sound);
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(/"sha256": "../, '"sha256": "00'));
  expect(await lab.type(`backup browse ${line}`)).toMatchObject({
    status: 0,
    err: expect.stringContaining('does not match, so the backup was verified only'),
    out: expect.stringContaining('verified against the hash at the end of the backup file'),
  });
  await rm(manifest);
  expect(await lab.type(`backup browse ${line}`)).toMatchObject({ status: 0, err: '' });
  expect(await lab.type('backup browse nobody')).toMatchObject({
    status: 1,
    err: 'error: there is no EtcdBackup nobody in namespace default\n',
  });
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith('kubectl-etcd-'));
  for (const folder of left) expect(await readdir(join(tmpdir(), folder)).catch(() => [])).not.toContain('data');
});

test('browse and diff show what was there at a time, of an encrypted backup whose changes are recorded', async () => {
  const encryption = { secret: 'key' };
  const backupPolicy = { backupIntervalInSecond: 3_600 };
  await lab.series('recorded', { ...lab.inS3('recorded'), encryption, backupPolicy, continuous: {} });
  await lab.recorded('recorded');
  await lab.put('/config/a', 'good');
  const then = await lab.contents();
  await lab.recorded('recorded');
  const time = new Date(systemClock.now()).toISOString();
  await systemClock.sleep(5);
  await lab.put('/config/a', 'bad');
  await lab.recorded('recorded');
  expect(asListed(await lab.browsed(`recorded --at ${time}`))).toEqual(then);
  const url = `${urlOf('recorded')} --encryption-secret key`;
  expect(asListed(await lab.browsed(`${url} --at ${time}`))).toEqual(then);
  expect(await lab.type(`backup diff recorded live --at ${time} --values`)).toMatchObject({
    status: 3,
    err: '',
    out: expect.stringMatching(/- good\n {4}\+ bad\nkeys: 0 added, 0 removed, 1 changed/),
  });
  expect(await lab.type('backup browse recorded --at 2020-01-01T00:00:00Z')).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringContaining('the oldest full backup has revision'),
  });
  expect(await lab.type(`backup diff recorded live --to-at ${time}`)).toMatchObject({ status: 2, out: '' });
});

test('every stored backup is listed with its facts, from the EtcdBackups, and from the store alone once all objects are gone', async () => {
  const many = { ...lab.inS3('many'), encryption: { secret: 'key' }, continuous: {} };
  await lab.series('many', { ...many, backupPolicy: { backupIntervalInSecond: 2, maxBackups: 2 } });
  const rows = async () => {
    const { out } = await lab.type('backup list example --stored --directory /nonexistent -o json');
    return (JSON.parse(out) as readonly StoredSeries[]).find(({ name }) => name === 'many');
  };
  await expect.poll(async () => (await rows())?.backups.length ?? 0, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  await lab.stopBackups('many');
  await lab.put('/config/z', 'after the last backup');
  await lab.recorded('many');
  const here = await listed(`--stored --directory ${lab.directory}`);
  const shown = here.find(({ name }) => name === 'many');
  const newest = shown?.backups.at(-1);
  expect(newest).toMatchObject({
    manifest: 'Matches',
    encrypted: true,
    cluster: 'example',
    keptBy: ['maxBackups', 'newest'],
  });
  expect(newest?.etcdVersion).toBe(labEtcd.version);
  const { revision } = await lab.member.maintenance.status();
  expect(shown?.recoveryPoint?.revision).toBe(Number(revision));
  expect(here.find(({ name }) => name === 'folder')).toMatchObject({ backups: [{ manifest: 'Missing' }] });
  expect(here.find(({ name }) => name === 'plain')?.backups).toMatchObject([{ manifest: 'Matches', encrypted: false }]);

  await lab.deleteEverything();
  vi.stubEnv('AWS_ACCESS_KEY_ID', lab.s3.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', lab.s3.secretAccessKey);
  vi.stubEnv('AWS_REGION', lab.s3.region);
  onTestFinished(() => void vi.unstubAllEnvs());
  const url = `--endpoint ${lab.s3.endpoint} --path-style`;
  const inStore = await listed(`--store s3://${lab.s3.bucket}/ ${url}`);
  expect(inStore.map(({ path }) => path.slice(lab.s3.bucket.length))).toEqual([
    '/after',
    '/before',
    '/many',
    '/plain',
    '/recorded',
    '/sealed',
  ]);
  const alone = inStore.find(({ path }) => path.endsWith('/many'));
  const known = (one: StoredSeries['backups'][number]) => ({ ...one, keptBy: undefined });
  expect(alone?.backups.map(known)).toEqual(shown?.backups.map(known));
  expect(alone?.recoveryPoint?.revision).toBe(Number(revision));
  expect(alone?.changes).toEqual(shown?.changes);
  const text = await lab.type(`backup list --store s3://${lab.s3.bucket}/many ${url}`);
  expect(text.out).toMatch(
    /^TIME +REVISION +SIZE +ETCD +CLUSTER +ENCRYPTED +MANIFEST +PATH\n.* yes +Matches +.*many_v/,
  );
  expect(text.out).toMatch(/many: the recovery point is revision \d+ at 2/);
  expect(asListed(await lab.browsed(`s3://${lab.s3.bucket}/plain ${url}`)).length).toBeGreaterThan(0);
  expect(await listed(`--store directory://etcd.backup --directory ${lab.directory}`)).toMatchObject([
    { path: 'etcd.backup', backups: [{ manifest: 'Missing' }] },
  ]);
  expect(await lab.type(`backup list --store s3://${lab.s3.bucket}/nothing ${url}`)).toMatchObject({
    status: 0,
    out: `No stored backup has a path that begins with ${lab.s3.bucket}/nothing.\n`,
  });
  expect((await lab.type('backup list --stored')).out).toBe('There is no EtcdBackup.\n');
});
