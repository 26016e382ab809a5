// SPDX-License-Identifier: Apache-2.0
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { networkDialer } from '@operator-parts/etcd';
import { EtcdLab } from '@operator-parts/etcd/testing';
import { secrets } from '@operator-parts/kube';
import { createLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runOperators } from './all-operators.ts';
import { etcdBackups } from './api/etcd-backup.ts';
import { type HostileBucket, HostileStore } from './testing/hostile/hostile-store.ts';
import { HostileTenants } from './testing/hostile/hostile-tenants.ts';
import { loseOnePod } from './testing/lose-one-pod.ts';
import { OperatorLab } from './testing/operator-lab.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** The operator, the API server and all tenants share this process and its CPUs, so this much is allowed in addition to the ratio. */
const slackMs = 2_000;
const tenants = 20;

const cleanUps = new AsyncDisposableStack();
const stop = new AbortController();
let ground: OperatorLab;
let s3: S3Server;
let hostile: HostileTenants;
let store: HostileStore;
let made = 0;
const alone: Record<'backups' | 'replacements', readonly number[]> = { backups: [], replacements: [] };

beforeAll(async () => {
  ground = cleanUps.use(await OperatorLab.start());
  await ground.stopOperator();
  s3 = await startVersitygw();
  cleanUps.defer(s3.stop);
  store = cleanUps.use(await HostileStore.start());
  const etcds = cleanUps.use(await EtcdLab.open());
  const etcd = await (await etcds.member()).start();
  const ended = runOperators(
    {
      controllers: ['cluster', 'backup'],
      client: ground.lab.client(),
      log: createLogger({ clock: systemClock, level: 'info', write: (record) => ground.log.push(record) }),
      namespace: 'default',
      clusterWide: true,
      identity: 'test',
      leaderElection: false,
      readLog: () => Promise.resolve(''),
      dial: (target, signal) =>
        target.host === '127.0.0.1' ? networkDialer(target, signal) : ground.lab.dial(target.host, target.port),
      healthInterval: 1_000,
      storage: { policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] } },
    },
    stop.signal,
  );
  cleanUps.defer(async () => {
    stop.abort(new Error('the test is over'));
    await ended.catch(() => undefined);
  });
  const client = ground.lab.client();
  hostile = new HostileTenants(tenants, { client, store, etcdEndpoint: `http://127.0.0.1:${etcd.clientPort}` });
  const { accessKeyId, secretAccessKey, region } = s3;
  await client.resource(secrets).create({
    metadata: { name: 'aws', namespace: 'default' },
    stringData: {
      credentials: `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      config: `[default]\nregion = ${region}\n`,
    },
  });
  await ground.create('good', { size: 3 });
  await ground.settled('good');
});

afterAll(() => cleanUps.disposeAsync());

async function timed(work: () => Promise<void>): Promise<number> {
  const began = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - began;
}

/** How long each run takes, sorted from the shortest. */
async function times(count: number, work: () => Promise<void>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let time = 0; time < count; time++) all.push(await timed(work));
  return all.toSorted((one, other) => one - other);
}

const medianOf = (all: readonly number[]) => all[Math.floor(all.length / 2)] ?? Number.NaN;

async function makeBackup(): Promise<void> {
  const backups = ground.lab.client().resource(etcdBackups.resource);
  const name = `good-${made++}`;
  const path = `${s3.bucket}/default/${name}`;
  await backups.create({
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdBackup',
    metadata: { name, namespace: 'default' },
    spec: {
      clusterRef: { name: 'good' },
      storageType: 'S3',
      s3: { path, awsSecret: 'aws', endpoint: s3.endpoint, forcePathStyle: true },
    },
  });
  const status = async () => (await backups.get({ namespace: 'default', name })).status;
  await ground.until(
    `${name} made`,
    async () => ((await status())?.succeeded ? true : undefined),
    60_000,
    async () => JSON.stringify(await status()),
  );
}

const replaceMember = () => loseOnePod(ground, 'good');

/** Waits until the operator has so many open requests to these buckets. */
async function untilOpen(count: number, ...buckets: readonly HostileBucket[]): Promise<void> {
  const open = () => buckets.reduce((sum, bucket) => sum + store.open(bucket), 0);
  await ground.until(
    `${count} open requests`,
    async () => (open() >= count ? true : undefined),
    30_000,
    async () => `there are ${open()}`,
  );
}

function tell(what: string, before: readonly number[], besides: readonly number[]): void {
  const shown = [before, besides].map(
    (all) => `${Math.round(medianOf(all))} ms (at most ${Math.round(all.at(-1) ?? 0)})`,
  );
  const ratio = (medianOf(besides) / medianOf(before)).toFixed(2);
  process.stdout.write(`${what}: alone ${shown[0]}, beside ${tenants} hostile tenants ${shown[1]}: ${ratio}x\n`);
}

describe(`one good tenant beside ${tenants} hostile ones`, () => {
  test('alone, it has its backup made and a member replaced', async () => {
    alone.backups = await times(5, makeBackup);
    alone.replacements = await times(3, replaceMember);
    expect([alone.backups.length, alone.replacements.length]).toEqual([5, 3]);
  });

  test('the others take all turns to move bytes and all workers, and edit what fails', async () => {
    await hostile.backUp();
    await untilOpen(8, 'trickle');
    await hostile.delete();
    await untilOpen(32, 'dead', 'endless');
    void hostile.edit(25, stop.signal);
    expect(store.open('trickle')).toBeGreaterThanOrEqual(8);
  });

  test('its backup is made in at most 1.5 times the time, and no single one waits for the others', async () => {
    const besides = await times(5, makeBackup);
    tell('backup', alone.backups, besides);
    expect(besides.at(-1)).toBeLessThan(1.5 * medianOf(alone.backups) + slackMs);
  });

  test('its member is replaced in at most 1.5 times the time', async () => {
    const besides = await times(3, replaceMember);
    tell('member replacement', alone.replacements, besides);
    // The median and not the maximum, because one of them may have to wait for etcd's 5 s after a membership change.
    expect(medianOf(besides)).toBeLessThan(1.5 * medianOf(alone.replacements) + slackMs);
  });
});
