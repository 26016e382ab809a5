// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemberClient } from '../../client/member-client.ts';
import { toBytes } from '../../client/services/kv.ts';
import { EtcdLab, type EtcdProcess } from '../../testing/etcd-process.ts';
import { preparingSnapshotCount, snapshotGate } from './snapshot-gate.ts';
import { versionOf } from './version.ts';

let lab: EtcdLab;
beforeAll(async () => {
  lab = await EtcdLab.open();
});
afterAll(() => lab[Symbol.asyncDispose]());

const prepared = { ETCD_SNAPSHOT_COUNT: String(preparingSnapshotCount) };

/** The same data directory with another version; false if that version does not start. */
async function goTo(
  member: EtcdProcess,
  version: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  await member.stop();
  return member.start({ version, env }).then(
    () => true,
    () => false,
  );
}

async function value(client: MemberClient): Promise<string> {
  return Buffer.from((await client.kv.range({ key: toBytes('k') })).kvs[0]?.value ?? []).toString();
}

/** What the operator does before such a step: it writes harmless entries until the metrics show a raft snapshot. */
async function passGate(member: EtcdProcess): Promise<void> {
  const client = member.client();
  await expect
    .poll(
      async () => {
        const { id } = await client.lease.grant(60);
        await client.lease.revoke(id);
        return member.endpoints('metrics').raftSnapshotsSaved();
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBeGreaterThan(0);
}

describe.each([
  { chain: ['3.5', '3.6', '3.7'] as const, versions: ['3.5.35', '3.6.16', '3.7.3'] as const },
  { chain: ['3.4', '3.5', '3.6'] as const, versions: ['3.4.23', '3.5.35', '3.6.16'] as const },
])('operator rule 3: a quiet cluster that goes $chain', ({ chain, versions }) => {
  const [first, second, third] = chain;

  async function bootstrapped(): Promise<{ readonly member: EtcdProcess; readonly client: MemberClient }> {
    const member = await (await lab.member()).start({ version: first });
    const client = member.client();
    await client.kv.put({ key: toBytes('k'), value: toBytes('kept') });
    // Each of these adds a v2 entry to the log of 3.4.
    for (let index = 0; index < 3; index++) await member.endpoints('metrics').health();
    return { member, client };
  }

  test('is bricked by the second step without the gate, and saved by going back', async () => {
    const { member, client } = await bootstrapped();
    expect(await goTo(member, second)).toBe(true);
    expect(await goTo(member, third)).toBe(false);
    expect(await goTo(member, second)).toBe(true);
    expect(await value(client)).toBe('kept');
  });

  test('arrives with its data when the gate was passed', async () => {
    expect(snapshotGate(versionOf(versions[1]), versionOf(versions[2])).needed).toBe(true);
    const { member, client } = await bootstrapped();
    expect(await goTo(member, second, prepared)).toBe(true);
    await passGate(member);
    expect(await goTo(member, third)).toBe(true);
    expect(await value(client)).toBe('kept');
  });
});
