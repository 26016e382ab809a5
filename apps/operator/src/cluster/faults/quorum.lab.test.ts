// SPDX-License-Identifier: Apache-2.0
import { persistentVolumeClaims } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { listedMembers } from './testing/listed-members.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.6', '3.7'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const key = (name: string | undefined) => ({ namespace: 'default', name: name ?? '' });
const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);
const uids = async (cluster: string) => (await ground.pods(cluster)).map(({ metadata }) => metadata?.uid ?? '').sort();
const memberSteps = (first: number) =>
  ground.log
    .slice(first)
    .flatMap(({ message, fields }) => (message === 'step' ? [String(fields['do'])] : []))
    .filter((step) => ['joinMember', 'promote', 'removeMember', 'moveLeader', 'setImage', 'deletePod'].includes(step));

/** Asserts for this time that no step changes a member. */
async function staysUntouched(first: number, milliseconds: number): Promise<void> {
  const end = systemClock.monotonic() + milliseconds;
  while (systemClock.monotonic() < end) {
    expect(memberSteps(first)).toEqual([]);
    await systemClock.sleep(250);
  }
}

async function isSeen(cluster: string): Promise<void> {
  await ground.until('the spec is seen', async () => {
    const { metadata, status } = await ground.get(cluster);
    return status?.observedGeneration === metadata?.generation ? true : undefined;
  });
}

describe('the user acts while members are down', () => {
  test('fault 19: one of three is down and five are asked for: it is replaced before another member joins', async () => {
    await ground.create('ill', { size: 3, pod: { replaceAfter: '5s' } });
    const { status } = await ground.settled('ill');
    const victim = status?.memberDetails?.find(({ role }) => role === 'Follower');
    const first = ground.log.length;
    const frozen = await ground.lab.faults.pod.freeze(key(victim?.name));
    await ground.change('ill', { size: 5 });
    await ground.until(
      'replaced',
      async () => ((await listedMembers(ground, 'ill')).ids.includes(victim?.id ?? '') ? undefined : true),
      undefined,
      () => words('ill'),
    );
    expect(memberSteps(first)[0]).toBe('removeMember');
    await frozen.heal().catch(() => undefined);
    await ground.settled('ill');
    expect((await listedMembers(ground, 'ill')).voters).toHaveLength(5);
  });

  test('fault 20: two of three are frozen, and the user scales and upgrades: no member is touched until they return', async () => {
    await ground.create('halted', { size: 3, version: '3.6.16', pod: { replaceAfter: '5s' } });
    await ground.settled('halted');
    await ground.put('halted', 'a', '1');
    const before = { listed: await listedMembers(ground, 'halted'), uids: await uids('halted') };
    const [one, two] = await ground.pods('halted');
    const faults = await Promise.all([one, two].map((pod) => ground.lab.faults.pod.freeze(key(pod?.metadata?.name))));
    await ground.until(
      'QuorumLost',
      async () => ((await words('halted')).includes('QuorumLost') ? true : undefined),
      undefined,
      () => words('halted'),
    );
    const first = ground.log.length;
    await ground.change('halted', { size: 5, version: '3.7.3' });
    await isSeen('halted');
    await staysUntouched(first, 8_000);
    expect(await uids('halted')).toEqual(before.uids);
    for (const fault of faults) await fault.heal();
    const { status } = await ground.settled('halted');
    expect(status?.currentVersion).toBe('3.7.3');
    const { voters, clusterId } = await listedMembers(ground, 'halted');
    expect(voters).toEqual(expect.arrayContaining([...before.listed.ids]));
    expect({ clusterId, voters: voters.length }).toEqual({ clusterId: before.listed.clusterId, voters: 5 });
    expect(await ground.read('halted', 'a')).toBe('1');
  });
});

/**
 * Asks for one more member right after another member has restarted, while that one is connected for less than the five seconds that etcd
 * requires. Resolves with the times of the operator's attempts.
 */
async function joinAfterRestart(cluster: string, size: number): Promise<readonly number[]> {
  const first = ground.log.length;
  const [pod] = await ground.pods(cluster);
  const restarts = async () => {
    const found = (await ground.pods(cluster)).find(({ metadata }) => metadata?.uid === pod?.metadata?.uid);
    return found?.status?.containerStatuses?.[0]?.restartCount ?? 0;
  };
  const before = await restarts();
  await ground.lab.faults.pod.signal(key(pod?.metadata?.name), 'SIGKILL', 'etcd');
  await ground.until('restarted', async () => ((await restarts()) > before ? true : undefined));
  await ground.change(cluster, { size });
  await ground.settled(cluster);
  expect((await listedMembers(ground, cluster)).voters).toHaveLength(size);
  return ground.log
    .slice(first)
    .flatMap(({ message, fields, time }) => (message === 'step' && fields['do'] === 'joinMember' ? [time] : []));
}

describe('what etcd tells and refuses', () => {
  test('fault 23: etcd refuses a change for some seconds: it is tried again after a pause, and the check stays on', async () => {
    await ground.create('strict', { size: 3 });
    await ground.settled('strict');
    // etcd refuses the first attempt, because the restarted member has not been connected for long enough. If the operator is paused so
    // long that its first attempt is too late for that, the test asks for another member.
    let attempts = await joinAfterRestart('strict', 4);
    for (let size = 5; size <= 6 && attempts.length === 1; size++) attempts = await joinAfterRestart('strict', size);
    expect(attempts.length).toBeGreaterThan(1);
    const pause = ((attempts.at(-1) ?? 0) - (attempts[0] ?? 0)) / (attempts.length - 1);
    expect(pause).toBeGreaterThan(300);
    for (const { spec } of await ground.pods('strict'))
      expect(JSON.stringify(spec?.containers)).not.toMatch(/strict-reconfig-check=false|STRICT_RECONFIG_CHECK/);
  });

  test('fault 24: members that do not reach each other all tell a list: nothing is decided on it', async () => {
    await ground.create('apart', { size: 3, pod: { replaceAfter: '5s' } });
    await ground.settled('apart');
    const before = await uids('apart');
    const groups = (await ground.pods('apart')).map(({ metadata }) => [{ pod: key(metadata?.name) }]);
    const partition = await ground.lab.faults.network.partition(...groups);
    await ground.until(
      'QuorumLost',
      async () => ((await words('apart')).includes('QuorumLost') ? true : undefined),
      undefined,
      () => words('apart'),
    );
    const first = ground.log.length;
    await ground.change('apart', { size: 1 });
    await isSeen('apart');
    await staysUntouched(first, 8_000);
    expect(await uids('apart')).toEqual(before);
    await partition.heal();
    await ground.settled('apart');
    expect((await listedMembers(ground, 'apart')).voters).toHaveLength(1);
  });
});

describe('the size flips', () => {
  test('fault 25: three, one and three again, faster than members follow: three voters, each on a volume of its own', async () => {
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '128Mi' } } } as const;
    await ground.create('flips', { size: 3, pod: { persistentVolumeClaimSpec: claim } });
    await ground.settled('flips');
    const before = await listedMembers(ground, 'flips');
    await ground.change('flips', { size: 1 });
    await ground.until('one is removed', async () =>
      (await listedMembers(ground, 'flips')).ids.length < 3 ? true : undefined,
    );
    await ground.change('flips', { size: 3 });
    await ground.settled('flips');
    const { voters, clusterId } = await listedMembers(ground, 'flips');
    expect({ clusterId, voters: voters.length }).toEqual({ clusterId: before.clusterId, voters: 3 });
    const select = { namespace: 'default', labelSelector: `${labels.cluster}=flips` };
    const owners = await ground.until('the owners of volumes', async () => {
      const { items } = await ground.lab.client().resource(persistentVolumeClaims).list(select);
      const ids = items.map(({ metadata }) => metadata?.annotations?.[annotations.memberId] ?? '').sort();
      return ids.length === 3 && ids.every(Boolean) ? ids : undefined;
    });
    expect(owners).toEqual(voters);
  });
});
