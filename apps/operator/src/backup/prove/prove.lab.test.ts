// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillStore, labEtcd } from '@operator-parts/etcd/testing';
import { isKubeError, pods, secrets } from '@operator-parts/kube';
import { createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdBackupSpec, type EtcdBackupStatus, etcdBackups } from '../../api/etcd-backup.ts';
import { labels } from '../../api/names.ts';
import { runEtcdBackupOperator } from '../../backup-operator.ts';
import { agentImageName, agentImages } from '../../restore/testing/agent-image.ts';
import { manifestPath } from '../../storage/manifest.ts';
import { type LimitedAccount, limitedAccount } from '../../testing/api-server/limited-account.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';

const namespace = 'default';
const cluster = 'proven';
let ground: OperatorLab;
let directory: string;
const stop = new AbortController();
const log: LogRecord[] = [];
let ended: Promise<void>;
let account: LimitedAccount;
/** The connections of the backup operator, by host. */
const dials: string[] = [];
/** While set, the backup operator cannot reach the pods of proofs. */
let held: Promise<unknown> | undefined;

const membersOf = async () => (await ground.pods(cluster)).flatMap(({ status }) => status?.podIP ?? []);

const backups = () => ground.lab.client().resource(etcdBackups.resource);
const fileOf = (path: string) => join(directory, namespace, path);
const conditionOf = ({ conditions }: EtcdBackupStatus) => conditions?.find(({ type }) => type === 'Proven');

async function backUp(name: string, more: Partial<EtcdBackupSpec> = {}): Promise<void> {
  const spec = { clusterRef: { name: cluster }, storageType: 'Directory', directory: { path: `${name}.db` }, ...more };
  const kind = { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdBackup' } as const;
  await ground.until(`create ${name}`, async () => {
    try {
      return await backups().create({ ...kind, metadata: { name, namespace }, spec });
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  });
  await until(name, ({ succeeded }) => succeeded === true);
}

const askForProof = (name: string) =>
  backups().patch({ namespace, name }, { type: 'merge', patch: { spec: { prove: { everyNth: 1 } } } });

function until(name: string, isAsked: (status: EtcdBackupStatus) => boolean): Promise<EtcdBackupStatus> {
  const read = async () => (await backups().get({ namespace, name })).status ?? {};
  return ground.until(
    `status of ${name}`,
    async () => {
      const status = await read();
      return isAsked(status) ? status : undefined;
    },
    undefined,
    async () =>
      `${JSON.stringify(await read(), undefined, 1)}\n${log
        .slice(-10)
        .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`)
        .join('\n')}\n${JSON.stringify((await proofPods())[0]?.status, undefined, 1)}`,
  );
}

const judged = (name: string, status: 'True' | 'False') => until(name, (seen) => conditionOf(seen)?.status === status);

async function proofPods() {
  const { items } = await ground.lab.client().resource(pods).list({ namespace, labelSelector: labels.proof });
  return items;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prove-'));
  ground = await OperatorLab.start({ images: [agentImages()] });
  account = await limitedAccount(ground.lab, 'etcd-backup-operator', {
    everywhere: ['watched', 'secrets', 'definitions'],
    own: ['own'],
  });
  ended = runEtcdBackupOperator(
    {
      client: account.client,
      log: createLogger({ clock: systemClock, level: 'debug', write: (record) => log.push(record) }),
      namespace,
      identity: 'backup',
      leaderElection: false,
      agentImage: agentImageName,
      storage: { directory },
      dial: async (target, signal) => {
        dials.push(target.host);
        if (held && !(await membersOf()).includes(target.host)) await held;
        return ground.paths.dial(target, signal);
      },
    },
    stop.signal,
  );
  ended.catch(() => undefined);
  await ground.create(cluster, { size: 1, version: labEtcd.version });
  await ground.settled(cluster);
  using member = await ground.member(cluster);
  await fillStore(member, 40);
});

afterAll(async () => {
  stop.abort(new Error('the test is over'));
  await ended?.catch(() => undefined);
  await ground?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

describe('a stored backup', () => {
  test('that is sound is proven without a connection to the cluster: the restored member has its revision, its hash and its keys; nothing of it stays', async () => {
    using member = await ground.member(cluster);
    const { revision } = await member.maintenance.status();
    const { hash } = await member.maintenance.hashKv(revision);
    await backUp('sound');
    dials.length = 0;
    await askForProof('sound');
    const { lastProven, proof } = await judged('sound', 'True');
    const asked = await membersOf();
    expect(asked).toHaveLength(1);
    expect(dials.length).toBeGreaterThan(0);
    expect(dials.filter((host) => asked.includes(host))).toEqual([]);
    expect(lastProven).toMatchObject({
      path: 'sound.db',
      etcdVersion: labEtcd.version,
      etcdRevision: Number(revision),
      hash,
    });
    expect(lastProven?.keys).toBeGreaterThan(0);
    expect(proof).not.toHaveProperty('running');
    expect(await proofPods()).toEqual([]);
    const { items } = await ground.lab.client().resource(secrets).list({ namespace });
    expect(items.map(({ metadata }) => metadata?.name).filter((name) => name?.startsWith('sound'))).toEqual([]);
  });

  test('keeps no other waiting while it is proven: one that falls due meanwhile is made', async () => {
    let release = () => {};
    held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await backUp('due', { backupPolicy: { backupIntervalInSecond: 5 }, prove: { everyNth: 1 } });
    const begun = await until('due', ({ proof }) => proof?.running === true);
    const meanwhile = await until('due', ({ lastBackup }) => lastBackup?.path !== begun.proof?.path);
    expect(meanwhile.proof).toMatchObject({ running: true, path: begun.proof?.path });
    held = undefined;
    release();
    const { lastProven } = await judged('due', 'True');
    expect(lastProven?.path).toBe(begun.proof?.path);
    await backups().delete({ namespace, name: 'due' });
  });

  test('of which the store has changed a byte is not proven, and what shows it is kept', async () => {
    await backUp('flipped');
    const bytes = await readFile(fileOf('flipped.db'));
    const at = Math.floor(bytes.byteLength / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(fileOf('flipped.db'), bytes);
    await askForProof('flipped');
    const status = await judged('flipped', 'False');
    expect(conditionOf(status)).toMatchObject({
      reason: 'BackupDamaged',
      message: expect.stringContaining('flipped.db'),
    });
    expect(status).not.toHaveProperty('lastProven');
    expect(status.proof).toMatchObject({ path: 'flipped.db' });
    const [kept] = await proofPods();
    expect(kept?.metadata?.name).toBe(status.proof?.pod);
    expect((await readFile(fileOf('flipped.db'))).equals(bytes)).toBe(true);
  });

  test('whose hashes are right and whose database is broken is not proven either', async () => {
    await backUp('hollow');
    const bytes = await readFile(fileOf('hollow.db'));
    const content = bytes.subarray(0, -32);
    // Erases everything but the beginning, and adjusts all checksums to the erased file.
    content.fill(0, 8 * 4096);
    createHash('sha256').update(content).digest().copy(bytes, content.byteLength);
    await writeFile(fileOf('hollow.db'), bytes);
    const manifest = fileOf(manifestPath('hollow.db'));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), sha256 }));
    await askForProof('hollow');
    const status = await judged('hollow', 'False');
    expect(['BackupDamaged', 'RestoreFailed']).toContain(conditionOf(status)?.reason);
  });

  test('that was proven last is never deleted by keep, while those that were made after it are', async () => {
    const backupPolicy = { backupIntervalInSecond: 2, keep: { last: 1 } };
    await backUp('spared', { backupPolicy, prove: { everyNth: 1_000 } });
    const { lastProven } = await judged('spared', 'True');
    const seen = new Set<string>();
    const left = await ground.until('three later ones were made, and one of them is there', async () => {
      const files = await readdir(join(directory, namespace));
      const stored = files.filter((file) => /^spared\.db_v\d+_[\d:-]+$/.test(file));
      for (const file of stored) seen.add(file);
      return seen.size > 3 && stored.length === 2 ? stored : undefined;
    });
    expect(left).toContain(lastProven?.path);
    await backups().delete({ namespace, name: 'spared' });
  });

  test('of another EtcdBackup, which was written into the status by hand, is not opened', async () => {
    await backUp('mine', { backupPolicy: { backupIntervalInSecond: 3600 } });
    const { status } = await backups().get({ namespace, name: 'mine' });
    const lastBackup = { ...status?.lastBackup, path: 'sound.db' };
    await backups().status.patch({ namespace, name: 'mine' }, { type: 'merge', patch: { status: { lastBackup } } });
    await askForProof('mine');
    const isSaid = (seen: EtcdBackupStatus) =>
      conditionOf(seen)?.message?.includes('not stored at the path in the spec');
    const refused = await until('mine', (seen) => isSaid(seen) === true);
    expect(conditionOf(refused)).toMatchObject({ status: 'Unknown', reason: 'NotProvenYet' });
    expect(refused.proof).toMatchObject({ attempts: 1 });
  });

  test('is proven with the rights that deploy/ gives to the etcd-backup-operator, and no others', () => {
    expect(account.calls.filter(({ isForbidden }) => isForbidden)).toEqual([]);
  });
});
