// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePart } from '@etcd-operator/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemberClient } from './client/member-client.ts';
import { toBytes } from './client/services/kv.ts';
import { hasLivez } from './rules/flags/probes.ts';
import { isAtLeast, parseVersion, versionOf } from './rules/versions/version.ts';
import { readSnapshotFacts } from './snapshot/snapshot-facts.ts';
import { type VerifiedSnapshot, verifySnapshot } from './snapshot/verify-snapshot.ts';
import { EtcdLab, type EtcdProcess } from './testing/etcd-process.ts';

const run = promisify(execFile);

/** Stores a member's snapshot, verified on the way, and reads its facts back. */
async function store(client: MemberClient, file: string) {
  let verified: VerifiedSnapshot | undefined;
  const target = await open(file, 'w+');
  try {
    const source = verifySnapshot(client.maintenance.snapshot(), (result) => {
      verified = result;
    });
    for await (const piece of source) await target.write(piece);
    let reads = 0;
    const facts = await readSnapshotFacts(async (position, length) => {
      reads++;
      const { bytesRead, buffer } = await target.read({ buffer: Buffer.alloc(length), position });
      return buffer.subarray(0, bytesRead);
    });
    return { verified, facts, reads };
  } finally {
    await target.close();
  }
}

/** Written when the cluster has a version, a moment after the member serves. */
async function storageVersion(client: MemberClient): Promise<string | undefined> {
  return (await client.maintenance.status()).storageVersion;
}

const cameWith = (version: string) => expect.stringMatching(`needs etcd ${version.replace('.', '\\.')} or newer$`);

describe.each(['3.3', '3.4', '3.4.31', '3.5', '3.6', '3.7'])('etcd %s', (part) => {
  const series = part.split('.', 2).join('.');
  const at = (floor: string) => isAtLeast(versionOf(`${series}.0`), versionOf(floor));
  let lab: EtcdLab;
  let member: EtcdProcess;
  let client: MemberClient;

  beforeAll(async () => {
    lab = await EtcdLab.open();
    member = await (await lab.member()).start({ version: part });
    client = member.client();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  test('answers the calls that every version has', async () => {
    const status = await client.maintenance.status();
    expect(status.version.startsWith(`${series}.`)).toBe(true);
    await expect.poll(() => storageVersion(client)).toBe(at('3.6.0') ? `${series}.0` : undefined);
    const { header } = await client.kv.put({ key: toBytes('a'), value: toBytes('1') });
    expect((await client.kv.range({ key: toBytes('a') })).kvs[0]?.modRevision).toBe(header.revision);
    const { members } = await client.cluster.memberList();
    expect(members).toMatchObject([{ name: member.name, peerUrls: [member.peerUrl], isLearner: false }]);
    const { id } = await client.lease.grant(10);
    expect((await client.lease.keepAliveOnce(id)).ttl).toBe(10n);
    await client.lease.revoke(id);
    expect((await client.maintenance.hashKv(0n)).hash).toBeGreaterThan(0);
    expect(await client.maintenance.alarms()).toEqual([]);
    await client.maintenance.defragment({ timeoutMs: 20_000 });
  });

  test('says which calls it lacks, and since when they are there', async () => {
    const downgrade = client.maintenance.downgradeValidate('3.2').catch((error: unknown) => error);
    expect(await downgrade).toMatchObject(
      at('3.5.0') ? { code: 'InvalidDowngradeTarget' } : { code: 'Unimplemented', message: cameWith('3.5') },
    );
    const promote = client.cluster.memberPromote(1n).catch((error: unknown) => error);
    expect(await promote).toMatchObject(
      at('3.4.0') ? { code: 'MemberNotFound' } : { code: 'Unimplemented', message: cameWith('3.4') },
    );
    const authStatus = client.auth.status().then(
      ({ enabled }) => ({ enabled }),
      (error: unknown) => error,
    );
    expect(await authStatus).toMatchObject(at('3.5.0') ? { enabled: false } : { code: 'Unimplemented' });
  });

  test('never takes a learner for a voter', async () => {
    const add = client.cluster
      .memberAdd({ peerUrls: ['http://127.0.0.1:1'], isLearner: true })
      .then(({ member: { id, isLearner } }) => client.cluster.memberRemove(id).then(() => ({ isLearner })));
    const outcome = await add.catch((error: unknown) => error);
    expect(outcome).toMatchObject(at('3.4.0') ? { isLearner: true } : { code: 'Unimplemented' });
    expect((await client.cluster.memberList()).members).toHaveLength(1);
  });

  test('tells its version on the peer port; /livez and /readyz where the rules say so', async () => {
    const version = await member.endpoints('peer').version();
    expect(version.server.startsWith(`${series}.`)).toBe(true);
    await expect.poll(async () => (await member.endpoints('peer').version()).cluster).toBe(`${series}.0`);
    const exact = parseVersion(version.server) ?? versionOf('3.0.0');
    const checks = Promise.all([member.endpoints('metrics').livez(), member.endpoints('metrics').readyz()]).catch(
      (error: unknown) => error,
    );
    expect(await checks).toMatchObject(hasLivez(exact) ? [{ ok: true }, { ok: true }] : { code: 'Unimplemented' });
  });

  test('operator rule 20: a stored snapshot is sound and says its own revision', async () => {
    const file = join(lab.directory, 'snapshot.db');
    for (let index = 0; index < 300; index++) {
      await client.kv.put({ key: toBytes(`k${index % 20}`), value: new Uint8Array(300) });
    }
    await client.kv.deleteRange({ key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) });
    const { revision } = await client.maintenance.status();
    const full = await store(client, file);
    expect(full.facts.revision).toBe(revision);
    expect(full.verified?.bytes).toBeGreaterThan(20_000);
    expect(full.reads).toBeLessThanOrEqual(8);
    await client.kv.compact({ revision, physical: true });
    expect((await store(client, file)).facts.revision).toBe(revision);
    expect(full.facts.storageVersion).toBe(at('3.6.0') ? `${series}.0` : undefined);
    await rm(file);
  });

  test('operator rule 3: with a low snapshot count a raft snapshot is proven by the metrics', async () => {
    await member.stop();
    await member.start({ version: part, env: { ETCD_SNAPSHOT_COUNT: '5' } });
    for (let index = 0; index < 20; index++) await client.kv.put({ key: toBytes('s'), value: toBytes(String(index)) });
    await expect.poll(() => member.endpoints('metrics').raftSnapshotsSaved()).toBeGreaterThan(0);
  });
});

test('operator rule 20: an empty store has revision 1 here and on the server, where etcdutl says 0', async () => {
  await using lab = await EtcdLab.open();
  const member = await (await lab.member()).start();
  const file = join(lab.directory, 'empty.db');
  await expect.poll(() => storageVersion(member.client())).toBe('3.6.0');
  const { facts, verified } = await store(member.client(), file);
  expect(facts).toMatchObject({ revision: 1n, storageVersion: '3.6.0', authEnabled: false });
  expect((await member.client().maintenance.status()).revision).toBe(1n);
  const { programs } = await ensurePart('etcd@3.6');
  const { stdout } = await run(programs['etcdutl'] ?? 'etcdutl', ['snapshot', 'status', file, '-w', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ revision: 0 });
  expect((verified?.bytes ?? 0) % 512).toBe(32);
});
