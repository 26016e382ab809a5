// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@operator-parts/etcd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { available, corruptLeader, hashes, memberOf, told } from '../../../testing/alarm-scene.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

describe('safety rule 18: Available means that a client can write', () => {
  test('[70] fault 30: a leader whose disk has changed a value: it is named and replaced, the alarm goes, the data is right', async () => {
    const etcdEnv = [
      { name: 'ETCD_FEATURE_GATES', value: 'CompactHashCheck=true' },
      { name: 'ETCD_COMPACT_HASH_CHECK_TIME', value: '1s' },
    ];
    await ground.create('odd', { size: 3, pod: { etcdEnv } });
    await ground.settled('odd');
    const victim = await corruptLeader(ground, 'odd');
    const all = await ground.until('told of the alarm and its end', async () => {
      const found = await told(ground, 'odd');
      return found.some((text) => text.startsWith('AlarmCleared')) ? found : undefined;
    });
    expect(all.find((text) => text.startsWith('AlarmRaised'))).toContain(`The data of member ${victim.name} differs`);
    expect(all.filter((text) => text.startsWith('ReplacingCorruptMember'))).toEqual([
      expect.stringContaining(victim.name),
    ]);
    const { status } = await ground.settled('odd');
    expect(status?.phase).toBe('Running');
    expect(status?.memberDetails?.map(({ id }) => id)).not.toContain(victim.id);
    expect(new Set(await hashes(ground, 'odd')).size).toBe(1);
    expect(await ground.read('odd', 'needle')).toBe('right-value');
    await ground.put('odd', 'written', 'again');
    using member = await ground.member('odd');
    expect(await member.maintenance.alarms()).toEqual([]);
  });

  test('fault 30: two members that differ: no majority, so that nothing is replaced, and status names the hash of each', async () => {
    const etcdEnv = [
      { name: 'ETCD_FEATURE_GATES', value: 'CompactHashCheck=true' },
      { name: 'ETCD_COMPACT_HASH_CHECK_TIME', value: '1s' },
    ];
    await ground.create('pair', { size: 2, pod: { etcdEnv } });
    const before = (await ground.settled('pair')).status?.memberDetails?.map(({ id }) => id);
    await corruptLeader(ground, 'pair');
    const found = await ground.until('told', async () => {
      const condition = await available(ground, 'pair');
      return condition?.reason === 'Corrupt' && !condition.message?.includes('unknown') ? condition : undefined;
    });
    expect(found.status).toBe('False');
    expect(found.message).toMatch(
      /No majority .* runbook data-corruption\. HashKV at revision \d+: pair-\w+ \d+ .*, pair-\w+ \d+ /,
    );
    // A third member would receive the data of one of them, so it has to wait.
    await ground.change('pair', { size: 3 });
    await ground.until('seen', async () => {
      const { status, metadata } = await ground.get('pair');
      return status?.observedGeneration === metadata?.generation ? true : undefined;
    });
    await expect(ground.put('pair', 'a', '1')).rejects.toThrow('corrupt');
    const { status } = await ground.get('pair');
    using member = await ground.member('pair');
    const { members } = await member.cluster.memberList();
    expect(members.map(({ id }) => formatId(id)).sort()).toEqual(before?.toSorted());
    expect(status?.phase).toBe('Running');
  });

  test('[70] fault 31: a full database: not available until the user has made room', async () => {
    await ground.create('full', {
      size: 1,
      pod: { etcdEnv: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: '16777216' }] },
    });
    const [name = ''] = (await ground.settled('full')).status?.memberDetails?.map((member) => member.name) ?? [];
    const big = 'x'.repeat(1_000_000);
    await expect(
      (async () => {
        for (let write = 0; write < 40; write++) await ground.put('full', 'big', big);
      })(),
    ).rejects.toThrow('space exceeded');
    const found = await ground.until('told', async () => {
      const condition = await available(ground, 'full');
      return condition?.status === 'False' ? condition : undefined;
    });
    expect(found).toMatchObject({ reason: 'NoSpace', message: expect.stringContaining(`for ${name}`) });
    await expect(ground.put('full', 'small', '1')).rejects.toThrow('space exceeded');
    expect((await ground.get('full')).status?.phase).toBe('Running');
    using member = await memberOf(ground, 'full', name);
    const { revision, memberId } = await member.maintenance.status();
    await member.kv.compact({ revision, physical: true });
    await member.maintenance.defragment({ timeoutMs: 30_000 });
    expect((await available(ground, 'full'))?.status).toBe('False');
    await member.maintenance.disarmAlarm(memberId, 'nospace');
    await ground.settled('full');
    await ground.put('full', 'small', '1');
  });
});
