// SPDX-License-Identifier: Apache-2.0
import { toBytes } from '@operator-parts/etcd';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { leases } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupLab } from '../../testing/backup-lab.ts';
import { readHistory, readRecorded } from '../testing/recorded.ts';

const name = 'failover';
const policy = { backupPolicy: { backupIntervalInSecond: 3_600 }, continuous: {} };

let ground: BackupLab;
let members: readonly EtcdProcess[];
let stopFirst: () => Promise<void>;
const stopped = new AbortController();
let writing: Promise<void>;
/** Every value that etcd has acknowledged, by the number in it. */
const acknowledged: number[] = [];

beforeAll(async () => {
  ground = await BackupLab.start({ startOperator: false });
  const { etcds } = ground;
  members = [await etcds.member(), await etcds.member(), await etcds.member()];
  const cluster = members.map((member) => `${member.name}=${member.peerUrl}`).join();
  const args = [`--initial-cluster=${cluster}`, '--initial-cluster-state=new'];
  await Promise.all(members.map((member) => member.start({ args })));
  stopFirst = ground.startOperator({ leaderElection: true, identity: 'first' });
  await ground.create(name, ground.toS3(name, members, policy));
  await ground.status(name, ({ recoveryPoint }) => recoveryPoint !== undefined);
  writing = write();
}, 120_000);

afterAll(async () => {
  stopped.abort();
  await writing;
  await ground?.[Symbol.asyncDispose]();
});

/** Writes through whichever member answers, as a client with several endpoints does. */
async function write(): Promise<void> {
  for (let count = 0; !stopped.signal.aborted; count += 1) {
    const member = members[count % members.length];
    using client = member?.client({ timeoutMs: 1_000 });
    const value = toBytes(`${count}`);
    const put = client?.kv.put({ key: toBytes(`k${count % 50}`), value });
    await put?.then(() => acknowledged.push(count)).catch(() => undefined);
    await systemClock.sleep(10);
  }
}

async function revisionOf(member: EtcdProcess): Promise<bigint> {
  using client = member.client({ timeoutMs: 5_000 });
  return (await client.kv.range({ key: toBytes('x'), countOnly: true })).header.revision;
}

/** The member that the operator watches: nobody else does. */
async function watched(): Promise<EtcdProcess> {
  return ground.until('a watched member', async () => {
    for (const member of members) {
      const text = await metrics(member);
      if (/^etcd_debugging_mvcc_watcher_total [1-9]/m.test(text)) return member;
    }
    return undefined;
  });
}

async function metrics({ metricsPort }: EtcdProcess): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
  return (await answer?.text()) ?? '';
}

async function leader(): Promise<EtcdProcess> {
  return ground.until('a leader', async () => {
    for (const member of members) if (/^etcd_server_is_leader 1/m.test(await metrics(member))) return member;
    return undefined;
  });
}

async function holder(): Promise<string | undefined> {
  const lease = { namespace: 'default', name: 'etcd-backup-operator' };
  return (await ground.lab.client().resource(leases).get(lease)).spec?.holderIdentity;
}

/** Waits until a change that is made now is stored, and the recovery point is less than 5 s old again. */
async function recordsAgain(): Promise<void> {
  const writer = await leader();
  const revision = await ground.until('etcd answers', () => revisionOf(writer).catch(() => undefined));
  const isCurrent = (time: string) => systemClock.now() - Date.parse(time) < 5_000;
  await ground.status(
    name,
    ({ recoveryPoint }) => (recoveryPoint?.revision ?? 0) > Number(revision) && isCurrent(recoveryPoint?.time ?? ''),
  );
}

test('goes on with another member if the watched one is killed, and then the leader of etcd', async () => {
  await recordsAgain();
  const first = await watched();
  await first.stop('SIGKILL');
  await recordsAgain();
  expect((await watched()).name).not.toBe(first.name);
  await first.start();
  const head = await leader();
  await head.stop('SIGKILL');
  await recordsAgain();
  await head.start();
}, 120_000);

test('goes on when the lease passes from one operator to another', async () => {
  ground.startOperator({ leaderElection: true, identity: 'second' });
  await recordsAgain();
  expect(await holder()).toBe('first');
  await stopFirst();
  await recordsAgain();
  expect(await holder()).toBe('second');
}, 120_000);

test('has every revision exactly once after all that, and nothing acknowledged is missing', async () => {
  stopped.abort();
  await writing;
  const [member] = members;
  if (!member) throw new Error('there is a member');
  const last = await revisionOf(member);
  await ground.status(name, ({ recoveryPoint }) => BigInt(recoveryPoint?.revision ?? 0) >= last);
  const { revisions, isChained, headers } = await readRecorded(ground, name);
  expect(isChained).toBe(true);
  const [first] = revisions;
  expect(headers[0]?.before.kind).toBe('snapshot');
  expect(revisions).toEqual(await readHistory(member, first?.revision ?? 0n, last));
  const values = new Set(
    revisions.flatMap(({ events }) =>
      events.map((event) => Buffer.from(event.split(' ')[2] ?? '', 'base64').toString()),
    ),
  );
  expect(acknowledged.filter((count) => !values.has(`${count}`))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(100);
  expect((await ground.events(name)).filter(({ reason }) => reason === 'ChangesMissing')).toEqual([]);
}, 120_000);
