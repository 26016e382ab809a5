// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const key = (name: string) => ({ namespace: 'default', name });

async function memberAt(name: string): Promise<MemberClient> {
  const pod = (await ground.pods('five')).find(({ metadata }) => metadata?.name === name);
  return new MemberClient({
    target: { host: pod?.status?.podIP ?? '', port: clientPort },
    clock: systemClock,
    dial: ({ host, port }) => ground.lab.dial(host, port),
    timeoutMs: 2_000,
  });
}

describe('operator rule 1: five acknowledged writes and a blank voter', () => {
  test('the survivor that missed them and the one that forgot them never serve without them', async () => {
    await ground.create('five', { size: 3 });
    const { status } = await ground.settled('five');
    const leader = status?.memberDetails?.find(({ role }) => role === 'Leader')?.name ?? '';
    const [blank = '', late = ''] =
      status?.memberDetails?.flatMap(({ name, role }) => (role === 'Follower' ? [name] : [])) ?? [];
    const cut = await ground.lab.faults.pod.freeze(key(late));
    {
      using member = await memberAt(leader);
      for (let write = 1; write <= 5; write++)
        await member.kv.put({ key: Buffer.from(`w${write}`), value: Buffer.from('acknowledged') });
    }
    // Both members that hold the writes lose them before the third is back, so that no member can pass them on.
    for (const name of [blank, leader]) {
      await ground.lab.faults.disk.blank(key(name), 'etcd-data');
      await ground.lab.faults.pod.signal(key(name), 'SIGKILL', 'etcd');
    }
    await cut.heal();
    await ground.until('told', async () => {
      const found = (await ground.get('five')).status?.conditions?.find(({ type }) => type === 'Available');
      return found?.reason === 'QuorumLost' ? found : undefined;
    });
    using survivor = await memberAt(late);
    for (let second = 0; second < 5; second++) {
      const answer = await survivor.kv.range({ key: Buffer.from('w1') }).then(
        ({ kvs }) => Buffer.from(kvs[0]?.value ?? []).toString(),
        () => 'no answer',
      );
      expect(answer).toBe('no answer');
      await systemClock.sleep(1_000);
    }
    const [pod] = (await ground.pods('five')).filter(({ metadata }) => metadata?.name === blank);
    expect(pod?.status?.containerStatuses?.[0]?.restartCount).toBeGreaterThan(0);
  });
});

describe('a cluster that was bootstrapped a moment ago and never written to', () => {
  test('comes back though all its members are killed at once and the disk of the leader is lost', async () => {
    await ground.create('young', { size: 3 });
    const { status } = await ground.settled('young');
    const members = status?.memberDetails ?? [];
    const leader = members.find(({ role }) => role === 'Leader')?.name ?? '';
    await ground.lab.faults.disk.blank(key(leader), 'etcd-data');
    await Promise.all(members.map(({ name }) => ground.lab.faults.pod.signal(key(name), 'SIGKILL', 'etcd')));
    const replaced = await ground.until('another member in the place of the leader', async () => {
      const names = (await ground.get('young')).status?.memberDetails?.map(({ name }) => name) ?? [];
      return names.length === 3 && !names.includes(leader) ? names : undefined;
    });
    expect(replaced).toHaveLength(3);
    await ground.settled('young');
  });
});
