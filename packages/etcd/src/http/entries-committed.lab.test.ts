// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MemberClient } from '../client/member-client.ts';
import { initialCluster } from '../rules/membership/member-name.ts';
import { EtcdLab, type EtcdProcess } from '../testing/etcd-process.ts';

let lab: EtcdLab;
beforeAll(async () => {
  lab = await EtcdLab.open();
});
afterAll(() => lab[Symbol.asyncDispose]());

async function add(client: MemberClient, member: EtcdProcess, isLearner: boolean, others: readonly EtcdProcess[]) {
  for (const end = performance.now() + 60_000; ; await systemClock.sleep(100)) {
    try {
      await client.cluster.memberAdd({ peerUrls: [member.peerUrl], isLearner });
      return initialCluster([...others, member].map(({ name, peerUrl }) => ({ name, peerUrl })));
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

async function committed(member: EtcdProcess): Promise<number> {
  for (const end = performance.now() + 60_000; ; await systemClock.sleep(100)) {
    try {
      return (await member.endpoints('metrics').entriesCommitted()) ?? -1;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

test.each(['3.4', '3.5', '3.6', '3.7'])(
  'etcd %s: who joined a cluster that lost its quorum before it could send anything has committed nothing, and says so',
  async (version) => {
    const [a, b, late, early] = [await lab.member(), await lab.member(), await lab.member(), await lab.member()];
    await a.start({ version });
    const client = a.client();
    await client.kv.put({ key: Buffer.from('k'), value: Buffer.from('v') });
    const joinB = await add(client, b, false, [a]);
    await b.start({ version, join: joinB });
    const joinEarly = await add(client, early, true, [a, b]);
    await early.start({ version, join: joinEarly, unattended: true });
    const hasData = async () => (await committed(early)) > 0;
    for (const end = performance.now() + 60_000; !(await hasData()); await systemClock.sleep(100))
      expect(performance.now()).toBeLessThan(end);
    await early.stop('SIGKILL');
    const { members } = await client.cluster.memberList();
    const { id = 0n } = members.find(({ isLearner }) => isLearner) ?? {};
    await client.cluster.memberRemove(id);
    const joinLate = await add(client, late, true, [a, b]);
    await b.stop('SIGKILL');
    // A leader sends the entries that it has until it knows that it is the only member.
    const isAlone = async () => (await client.maintenance.status()).leader === 0n;
    for (const end = performance.now() + 60_000; !(await isAlone()); await systemClock.sleep(100))
      expect(performance.now()).toBeLessThan(end);
    await late.start({ version, join: joinLate, unattended: true });
    expect(await committed(late)).toBe(0);
    await systemClock.sleep(3_000);
    expect(await committed(late)).toBe(0);
    for (const member of [late, a]) await member.stop('SIGKILL');
  },
  180_000,
);
