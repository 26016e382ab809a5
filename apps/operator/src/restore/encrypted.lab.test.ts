// SPDX-License-Identifier: Apache-2.0
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { secrets } from '@operator-parts/kube';
import { silentLogger, systemRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdBackup, etcdBackups } from '../api/etcd-backup.ts';
import { annotations, labels } from '../api/names.ts';
import { runEtcdBackupOperator } from '../backup-operator.ts';
import { manifestPath, parseManifest } from '../storage/manifest.ts';
import { RestoreLab } from './testing/restore-lab.ts';

const name = 'encrypted';
const namespace = 'default';
/** Longer than the first pages of a database, and than one chunk. */
const sentence = 'nobody but the owner reads this sentence. ';
const wanted = { encryption: { secret: 'backup-key' } };

describe('a backup that is encrypted before it is stored', () => {
  let lab: RestoreLab;
  const stop = new AbortController();
  let operator: Promise<void> | undefined;
  let hash: number;

  beforeAll(async () => {
    lab = await RestoreLab.start({ nodes: 1 });
    const { clusters, directory } = lab;
    const client = clusters.lab.client();
    const options = { client, log: silentLogger, namespace, identity: 'backup', leaderElection: false };
    operator = runEtcdBackupOperator({ ...options, dial: clusters.paths.dial, storage: { directory } }, stop.signal);
    operator.catch(() => undefined);
    const raw = Buffer.from(systemRandom.bytes(32));
    await secret('backup-key', raw);
    await secret('other-key', Buffer.from(Buffer.from(systemRandom.bytes(32)).toString('base64')));
    await clusters.create(name, { size: 1, version: '3.6.16' });
    await clusters.settled(name);
    for (let index = 0; index < 200; index += 1) await clusters.put(name, `private-${index}`, sentence.repeat(50));
  });
  afterAll(async () => {
    stop.abort();
    await operator?.catch(() => undefined);
    await lab?.[Symbol.asyncDispose]();
  });

  async function secret(of: string, key: Uint8Array): Promise<void> {
    const data = { key: Buffer.from(key).toString('base64') };
    await lab.clusters.lab
      .client()
      .resource(secrets)
      .create({ metadata: { name: of, namespace }, data });
  }

  async function backup(of: string, spec: Partial<EtcdBackup['spec']>): Promise<NonNullable<EtcdBackup['status']>> {
    const { clusters } = lab;
    const backups = clusters.lab.client().resource(etcdBackups.resource);
    await backups.create({
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdBackup',
      metadata: { name: of, namespace },
      spec: { clusterRef: { name }, storageType: 'Directory', directory: { path: `${of}.db` }, ...spec },
    });
    return clusters.until(`EtcdBackup ${of} has ended`, async () => {
      const { status } = await backups.get({ name: of, namespace });
      return status?.succeeded || status?.Reason ? status : undefined;
    });
  }

  async function refused(of: string): Promise<string> {
    const backups = lab.clusters.lab.client().resource(etcdBackups.resource);
    return lab.clusters.until(`EtcdBackup ${of} is refused`, async () => {
      const { status } = await backups.get({ name: of, namespace });
      return status?.Reason || undefined;
    });
  }

  async function hashNow(): Promise<number> {
    using member = await lab.clusters.member(name);
    return (await member.maintenance.hashKv(0n)).hash;
  }

  /** The bytes of all files in the store. */
  async function stored(): Promise<Buffer> {
    const folder = lab.file('');
    const names = await readdir(folder);
    return Buffer.concat(await Promise.all(names.map((file) => readFile(lab.file(file)))));
  }

  /** Everything by which a user would notice a change to a cluster. */
  async function traces() {
    const { metadata, spec, status } = await lab.clusters.get(name);
    const pods = (await lab.clusters.pods(name)).map((pod) => [pod.metadata?.uid, pod.metadata?.labels?.[labels.app]]);
    const noted = { ...metadata?.annotations, [annotations.usedIncarnation]: '' };
    return { generation: metadata?.generation, noted, spec, incarnation: status?.incarnation, pods };
  }

  test('shows nothing of the data in the store, and its manifest names the key and both hashes', async () => {
    hash = await hashNow();
    const status = await backup('sealed', wanted);
    expect(status.Reason).toBe('');
    const all = await stored();
    for (const text of ['private-', 'nobody but the owner', 'reads this sentence'])
      expect(all.includes(text)).toBe(false);
    const file = await readFile(lab.file('sealed.db'));
    const manifest = parseManifest(await readFile(lab.file(manifestPath('sealed.db'))));
    expect(manifest).toMatchObject({
      bytes: file.byteLength,
      sha256: status.lastBackup?.sha256,
      encryption: { algorithm: 'AES-256-GCM', keyId: status.lastBackup?.encryptionKeyID },
    });
    expect(manifest?.encryption?.contentSha256).not.toBe(manifest?.sha256);
    expect(manifest?.encryption?.contentBytes).toBeLessThan(file.byteLength);
    const plain = await backup('plain', {});
    expect(plain.lastBackup?.encryptionKeyID).toBeUndefined();
    expect((await readFile(lab.file('plain.db'))).includes('nobody but the owner')).toBe(true);
  });

  test('is not made without its key, nor taken for a plain one, or one of another key, that its object made before', async () => {
    const missing = await backup('keyless', { encryption: { secret: 'no-such-secret' } });
    expect(missing).toMatchObject({ succeeded: false, Reason: 'secret no-such-secret does not exist' });
    const backups = lab.clusters.lab.client().resource(etcdBackups.resource);
    await backups.patch({ name: 'plain', namespace }, { type: 'merge', patch: { spec: wanted } });
    expect(await refused('plain')).toContain('not encrypted, although spec.encryption is set');
    const other = { encryption: { secret: 'other-key' } };
    await backups.patch({ name: 'sealed', namespace }, { type: 'merge', patch: { spec: other } });
    // As if the operator had ended before it recorded that this backup was taken.
    const { status: noted } = await backups.get({ name: 'sealed', namespace });
    const forgotten = Object.fromEntries(Object.keys({ ...noted }).map((field) => [field, null]));
    await backups.status.patch({ name: 'sealed', namespace }, { type: 'merge', patch: { status: forgotten } });
    expect(await refused('sealed')).toContain('encrypted with a key other than the key in secret/other-key');
    expect((await readdir(lab.file(''))).toSorted()).toEqual(
      ['plain.db', 'sealed.db'].flatMap((file) => [file, manifestPath(file)]),
    );
  });

  test('is refused with another key, without one, damaged or plain where it must be encrypted, or with a manifest written without it, and the cluster is untouched', async () => {
    await lab.clusters.put(name, 'private-0', 'newer');
    const before = await traces();
    const file = await readFile(lab.file('sealed.db'));
    file[file.byteLength - 70_000] = (file[file.byteLength - 70_000] ?? 0) ^ 1;
    await writeFile(lab.file('damaged.db'), file);
    await writeFile(lab.file('cut.db'), file.subarray(0, -65_552));
    const manifest = (await readFile(lab.file(manifestPath('sealed.db')))).toString();
    await copyFile(lab.file('sealed.db'), lab.file('forged.db'));
    await writeFile(
      lab.file(manifestPath('forged.db')),
      manifest.replace('"etcdVersion": "3.6.16"', '"etcdVersion": "3.6.1"'),
    );
    const unproven = { ...wanted, requireManifest: true };
    const cases = [
      ['wrong', 'sealed.db', { encryption: { secret: 'other-key' } }, 'Set spec.encryption.secret to the Secret with'],
      ['none', 'sealed.db', {}, 'is encrypted. Set spec.encryption.secret to the Secret with the key of this backup'],
      ['bare', 'plain.db', wanted, 'is not encrypted, but spec.encryption is set'],
      ['damaged', 'damaged.db', wanted, 'of the encrypted backup is damaged'],
      ['cut', 'cut.db', wanted, 'damaged'],
      ['forged', 'forged.db', wanted, 'To restore the backup anyway, set spec.acceptForeign to true'],
      ['unproven', 'forged.db', unproven, 'was not authenticated with the key of spec.encryption'],
    ] as const;
    for (const [restore, path, spec, why] of cases) {
      await lab.restore(restore, path, { cluster: name, ...spec });
      const status = await lab.ended(restore);
      expect(status).toMatchObject({ succeeded: false, phase: 'Failed' });
      expect(status.reason).toContain(why);
    }
    expect(await traces()).toEqual(before);
    expect(await lab.clusters.read(name, 'private-0')).toBe('newer');
  });

  test('is restored with its key, to the same HashKV, and what is saved before that is encrypted as well', async () => {
    const file = lab.file('plain.db');
    await writeFile(file, '');
    await lab.restore(name, 'sealed.db', { ...wanted, requireManifest: true, revisionBump: 0 });
    const status = await lab.succeeded(name);
    await lab.clusters.settled(name);
    expect(await hashNow()).toBe(hash);
    expect(await lab.clusters.read(name, 'private-0')).toBe(sentence.repeat(50));
    const manifest = parseManifest(await readFile(lab.file(manifestPath('sealed.db'))));
    const { contentBytes: bytes, contentSha256: sha256 } = manifest?.encryption ?? {};
    expect(status.source).toMatchObject({ verified: 'Manifest', bytes, sha256 });
    const saved = await readFile(lab.file(status.safetySnapshot?.path ?? ''));
    expect(saved.byteLength).toBe(status.safetySnapshot?.bytes);
    expect(saved.includes('private-')).toBe(false);
    expect((await stored()).includes('nobody but the owner')).toBe(false);
    expect(await readdir(`${lab.directory}/scratch`)).toEqual([]);
  });

  test('what was saved is restored with the same key, into a cluster that does not exist', async () => {
    const { safetySnapshot } = (await lab.get(name)).status ?? {};
    const spec = { cluster: 'second', ...wanted, clusterSpec: { size: 1, version: '3.6.16' } };
    await lab.restore('second', safetySnapshot?.path ?? '', spec);
    await lab.succeeded('second');
    await lab.clusters.settled('second');
    expect(await lab.clusters.read('second', 'private-0')).toBe('newer');
  });
});
