// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EtcdBackupSpec, EtcdBackupStatus } from '../../../api/etcd-backup.ts';
import { manifestPath, parseManifest } from '../../../storage/manifest.ts';
import { awsSecret, BackupLab } from '../../../testing/backup-lab.ts';
import { parsePeriodicKey } from '../../plan/backup-names.ts';
import { fillMember, isWhole } from '../../testing/kill-sweep.ts';
import { RewritingProxy, type StoreFault } from '../../testing/rewriting-proxy.ts';
import * as faults from '../../testing/store-faults.ts';

let ground: BackupLab;
let member: EtcdProcess;
let proxy: RewritingProxy;

beforeAll(async () => {
  // Faults are permanent in this test, so long retries are pointless.
  const retry = { attempts: 2, firstDelayMs: 20, requestTimeoutMs: 4_000 };
  ground = await BackupLab.start({ storage: { policy: { allowLocal: true }, retry } });
  member = await ground.etcd();
  await fillMember(member, 10, seededRandom(18));
  proxy = await RewritingProxy.start(ground.s3.port);
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await ground?.[Symbol.asyncDispose]();
});

beforeEach(() => proxy.heal());

const patience = 60_000;
const hourly = { backupIntervalInSecond: 3_600 };

/** The spec of a backup of the member to the store behind the proxy. */
function through(key: string, more: Partial<EtcdBackupSpec> = {}): EtcdBackupSpec {
  const s3 = { path: `${ground.s3.bucket}/${key}`, awsSecret, endpoint: proxy.endpoint, forcePathStyle: true };
  return { ...ground.toS3(key, [member]), s3, ...more };
}

const write = () => member.client().kv.put({ key: Buffer.from('more'), value: Buffer.from('data') });
const conditionOf = ({ conditions }: EtcdBackupStatus, type: string) => conditions?.find((one) => one.type === type);
const tried = ({ attempts = 0, succeeded, progress }: EtcdBackupStatus) =>
  !progress && (attempts > 0 || succeeded === true);

/** Lists the series at the store itself, not through the proxy. */
async function series(base: string): Promise<readonly string[]> {
  return (await ground.keys(base)).filter((key) => parsePeriodicKey(base, key) !== undefined);
}

/** Checks that the store holds what was reported: every byte, and a matching manifest. */
async function expectSound({ lastBackup }: EtcdBackupStatus): Promise<void> {
  const key = (lastBackup?.path ?? '').slice(ground.s3.bucket.length + 1);
  expect({ key, isWhole: await isWhole(ground, key) }).toEqual({ key, isWhole: true });
  const sha256 = createHash('sha256')
    .update(await ground.read(key))
    .digest('hex');
  expect(sha256).toBe(lastBackup?.sha256);
  expect(parseManifest(await ground.read(manifestPath(key)))?.sha256).toBe(sha256);
}

async function expectOnly(name: string, keys: readonly string[]): Promise<void> {
  expect(await ground.keys(name)).toEqual(keys);
}

/** Makes backups of a series with the object `name`, each of another revision. */
async function makeSeries(name: string, count: number, policy: object = {}): Promise<EtcdBackupStatus> {
  await ground.create(name, through(name, { backupPolicy: { ...hourly, ...policy } }));
  let status = await ground.succeeded(name, patience);
  for (let made = 1; made < count; made++) status = await another(name);
  return status;
}

/** Makes the next backup of a series due now, and waits for the attempt. */
async function another(name: string): Promise<EtcdBackupStatus> {
  await write();
  const { lastExecutionDate } = (await ground.get(name)).status ?? {};
  const long = '2020-01-01T00:00:00Z';
  await ground.stopOperator();
  await ground.writeStatus(name, { lastScheduleDate: long, nextAttemptDate: long, succeeded: false });
  // Names and reports have a resolution of one second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  ground.startOperator();
  return ground.status(name, (status) => tried(status) && status.lastExecutionDate !== lastExecutionDate, patience);
}

describe('a reported success is restorable, and nothing sound is deleted for it', () => {
  test.each([
    ['repeats', faults.listingRepeats],
    ['runs-backwards', faults.listingBackwards],
  ])('where the listing %s, nothing is pruned and that is said', async (word, fault) => {
    const name = `list-${word}`;
    await makeSeries(name, 1, { maxBackups: 1 });
    proxy.fault = fault;
    const status = await another(name);
    expect(status.succeeded).toBe(true);
    await expectSound(status);
    expect(conditionOf(status, 'Pruned')).toMatchObject({ status: 'False', reason: 'ListingUnsound' });
    expect((await series(name)).length).toBe(2);
    proxy.heal();
    await expectSound(await another(name));
    expect((await series(name)).length).toBe(1);
  });

  test('where what is stored is damaged, attempts fail, leave nothing, and take the place of no sound backup', async () => {
    const name = 'damaged';
    await makeSeries(name, 3, { maxBackups: 3 });
    const sound = await ground.keys(name);
    expect(sound.length).toBe(6);
    for (let attempt = 0; attempt < 2; attempt++) {
      proxy.fault = faults.storedDamaged(name);
      const failed = await another(name);
      expect(conditionOf(failed, 'Succeeded')).toMatchObject({ status: 'False', reason: 'StoredDamaged' });
      expect(await ground.keys(name)).toEqual(sound);
    }
    proxy.heal();
    await expectSound(await another(name));
    expect((await series(name)).length).toBe(3);
    expect(await ground.keys(name)).toEqual(expect.arrayContaining(sound.slice(2)));
  });

  test('where a proxy says 200 for the store, the manifest of a new backup never stands beside the old object', async () => {
    const before = Buffer.from('what another operator has stored');
    await ground.write('replaced', before);
    proxy.fault = faults.completeNotForwarded();
    await ground.create('newer', through('replaced'));
    const failed = await ground.status('newer', tried, patience);
    expect(failed.succeeded).toBe(false);
    expect(await ground.keys('replaced')).toEqual(['replaced']);
    expect(await ground.read('replaced')).toEqual(before);
    proxy.heal();
    await expectSound(await ground.succeeded('newer', patience));
  });

  /** Faults during which a backup of a series may fail or succeed. The reported outcome is true, and a failure leaves nothing behind. */
  test.each<readonly [string, StoreFault, 'succeeds' | 'fails']>([
    ['says 200 by itself to what finishes an object', faults.completeNotForwarded(), 'fails'],
    ['says 200 by itself to the manifest', faults.completeNotForwarded('manifest.json'), 'fails'],
    ['gives another manifest than was written', faults.manifestDamaged, 'fails'],
    ['does not answer what finishes an object', faults.completeAnswerLost, 'succeeds'],
    ['denies HEAD', faults.headDenied, 'succeeds'],
    ['lets answers come at 2 bytes per second', faults.readsTrickle('f-'), 'fails'],
    ['ignores ranges', faults.rangesFromZero('f-'), 'fails'],
    ['ends answers early', faults.readsShort('f-'), 'fails'],
    ['never answers a listing', faults.listingStalls, 'succeeds'],
  ])('a store that %s', async (word, fault, end) => {
    const name = `f-${word.replaceAll(/\W/g, '').toLowerCase().slice(0, 30)}`;
    await makeSeries(name, 1, { maxBackups: 2, timeoutInSecond: 20 });
    const before = await ground.keys(name);
    proxy.fault = fault;
    const status = await another(name);
    proxy.heal();
    const { succeeded, Reason } = status;
    expect({ succeeded, Reason }).toMatchObject({ succeeded: end === 'succeeds' });
    await (end === 'succeeds' ? expectSound(status) : expectOnly(name, before));
    expect(await ground.s3.unfinished()).toEqual([]);
    expect(status.leftovers ?? []).toEqual([]);
    await expectSound(await another(name));
    expect((await series(name)).length).toBe(2);
  });

  test('what could not be removed is named in the status and removed before the next attempt', async () => {
    const name = 'nothing-ends';
    await makeSeries(name, 1);
    const before = await ground.keys(name);
    proxy.fault = faults.nothingEnds;
    expect((await another(name)).leftovers?.length).toBeGreaterThan(0);
    await another(name);
    await ground.stopOperator();
    const { leftovers = [], progress } = (await ground.get(name)).status ?? {};
    const unfinished = new Set((await ground.s3.unfinished()).filter((key) => key.startsWith(name)));
    expect(unfinished.size).toBeGreaterThan(1);
    expect(new Set([...(leftovers ?? []), progress?.object])).toEqual(new Set([...unfinished, progress?.object]));
    ground.startOperator();
    proxy.heal();
    const made = await another(name);
    await expectSound(made);
    expect(made.leftovers ?? []).toEqual([]);
    expect(await ground.s3.unfinished()).toEqual([]);
    expect((await ground.keys(name)).length).toBe(before.length + 2);
  });

  test('where the store refuses to delete and to end uploads, that is said, and nothing passes for cleaned', async () => {
    const name = 'refusing';
    const warning = (reason: string, part: string) =>
      ground.until(`event ${reason}`, async () =>
        (await ground.events(name)).find((event) => event.reason === reason && event.message?.includes(part)),
      );
    await makeSeries(name, 1);
    await ground.change(name, { deletionPolicy: 'Delete' });
    proxy.fault = faults.completeRefused;
    const { leftovers = [], succeeded } = await another(name);
    expect({ succeeded, left: leftovers?.length }).toEqual({ succeeded: false, left: 1 });
    const kept = await warning('LeftoversKept', 'Allow the credentials to delete objects and to list and abort');
    expect(kept.message).toContain(leftovers?.[0]);
    proxy.fault = faults.cleaningRefused;
    const made = await another(name);
    await expectSound(made);
    expect(made.leftovers).toEqual(leftovers);
    expect(await ground.s3.unfinished()).toEqual(leftovers);
    proxy.fault = faults.uploadsUnlisted;
    await ground.delete(name);
    await warning('DeletingBackupsFailed', 'denies listing or aborting unfinished uploads');
    proxy.heal();
    await ground.until('gone', () => ground.isGone(name), patience);
    expect([await ground.keys(name), await ground.s3.unfinished()]).toEqual([[], []]);
  });

  test('a single backup is made where HEAD is denied', async () => {
    proxy.fault = faults.headDenied;
    await ground.create('single', through('single'));
    await expectSound(await ground.succeeded('single', patience));
  });

  test('a status that names objects of others as leftovers has none of them deleted', async () => {
    const others = ['others/precious', 'precious', 'mine_vault', 'mine2_v1_2026-01-01-00:00:00'];
    for (const key of others) await ground.s3.seed(key);
    await makeSeries('mine', 1);
    await ground.stopOperator();
    const leftovers = [...others, '../x'];
    await ground.writeStatus('mine', {
      leftovers,
      progress: { object: 'precious', startTime: '2026-01-01T00:00:00Z' },
    });
    ground.startOperator();
    const status = await another('mine');
    expect(status.succeeded).toBe(true);
    // Other series of this file are due at the full hour and prune their own backups.
    expect(await ground.keys()).toEqual(expect.arrayContaining(others));
    // The leftovers may be of a path that the spec named before, and were not removed.
    expect(status.leftovers).toEqual(expect.arrayContaining(leftovers));
  });

  test('deletionPolicy Delete says what it cannot delete, and deletes it once it may', async () => {
    const name = 'goes';
    await ground.create(name, through(name, { deletionPolicy: 'Delete', backupPolicy: hourly }));
    await ground.succeeded(name, patience);
    await ground.s3.seed('goes_v1_2019-01-01-00:00:00');
    proxy.fault = faults.manifestsDenied;
    await ground.delete(name);
    const warned = await ground.until('event', async () =>
      (await ground.events(name)).find(({ reason }) => reason === 'DeletingBackupsFailed'),
    );
    expect(warned.message).toContain('denies reading the manifest');
    proxy.heal();
    await ground.until('gone', () => ground.isGone(name), patience);
    const left = await ground.until('event', async () =>
      (await ground.events(name)).find(({ reason }) => reason === 'BackupsLeftBehind'),
    );
    expect(left.message).toContain('goes_v1_2019-01-01-00:00:00');
    expect(await ground.keys(name)).toEqual(['goes_v1_2019-01-01-00:00:00']);
  });
});
