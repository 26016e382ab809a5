// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { persistentVolumeClaims } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labels } from '../../api/names.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { RecordingRelay } from '../../testing/two-operators/recording-relay.ts';
import type { Gate } from '../../testing/two-operators/request-record.ts';
import { startWriter } from '../../testing/writer.ts';
import { listedMembers } from './testing/listed-members.ts';
import { crashBefore } from './testing/operator-crash.ts';
import { leapingClock } from './testing/skewed-clocks.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 5 });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '128Mi' } },
} as const;
const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);
const claims = async (cluster: string) => {
  const select = { namespace: 'default', labelSelector: `${labels.cluster}=${cluster}` };
  return (await ground.lab.client().resource(persistentVolumeClaims).list(select)).items;
};
/** The steps that the operators have taken since, in order. */
const steps = (first: number) =>
  ground.log.slice(first).flatMap(({ message, fields }) => (message === 'step' ? [String(fields['do'])] : []));

describe('a member joins', () => {
  test('fault 11: the operator ends between member add and the pod: the learner gets its pod, and no member is added twice', async () => {
    await ground.create('half', { size: 1 });
    await ground.settled('half');
    const crash = crashBefore(ground, { verb: 'create', resource: 'pods' });
    await ground.change('half', { size: 2 });
    await crash;
    const { learners } = await listedMembers(ground, 'half');
    expect(learners).toHaveLength(1);
    expect(await ground.pods('half')).toHaveLength(1);
    ground.startOperator();
    await ground.settled('half');
    const { ids, voters } = await listedMembers(ground, 'half');
    expect(voters).toEqual(ids);
    expect(ids).toHaveLength(2);
    expect(ids).toEqual(expect.arrayContaining([...learners]));
  });

  test('fault 12: the answer to member add never comes: the list is read again, and there is exactly one new member', async () => {
    await ground.create('mute', { size: 1 });
    await ground.settled('mute');
    await ground.stopOperator();
    let lost = 0;
    const gate: Gate = async (record, send) => {
      const answer = await send();
      return record.what === 'Cluster/MemberAdd' && lost++ === 0 ? undefined : answer;
    };
    const relay = await RecordingRelay.start({
      lab: ground.lab,
      who: 'operator',
      record: () => undefined,
      gate,
    });
    ground.startOperator({
      dial: async ({ host, port }) => {
        const socket = connect(relay.port, '127.0.0.1');
        socket.write(`${host} ${port}\n`);
        return socket;
      },
    });
    await ground.change('mute', { size: 2 });
    await ground.settled('mute');
    expect(lost).toBe(1);
    const { ids, voters } = await listedMembers(ground, 'mute');
    expect({ ids: ids.length, voters: voters.length }).toEqual({ ids: 2, voters: 2 });
    expect(await ground.pods('mute')).toHaveLength(2);
    await ground.stopOperator();
    relay.close();
    ground.startOperator();
  });

  test('faults 13 and 14: a learner that never catches up: no member is added beside it, it is not promoted, and is removed in the end', async () => {
    await ground.create('slow', { size: 3, pod: { antiAffinity: true } });
    await ground.settled('slow');
    const used = (await ground.pods('slow')).map(({ spec }) => spec?.nodeName);
    const free = ground.lab.nodes.map(({ name }) => name).filter((name) => !used.includes(name));
    // The network is restored also if the test fails, because later tests need the nodes.
    await using cuts = new AsyncDisposableStack();
    for (const node of free) cuts.use(await ground.lab.faults.network.isolate({ node }));
    await ground.stopOperator();
    const clock = leapingClock();
    ground.startOperator({ clock });
    const before = await listedMembers(ground, 'slow');
    await ground.change('slow', { size: 5 });
    const [learner = ''] = await ground.until('a learner', async () => {
      const { learners } = await listedMembers(ground, 'slow');
      return learners.length > 0 ? learners : undefined;
    });
    for (let second = 0; second < 6; second++) {
      const { voters, learners } = await listedMembers(ground, 'slow');
      expect({ voters, learners }).toEqual({ voters: before.voters, learners: [learner] });
      await ground.put('slow', 'a', `${second}`);
      await systemClock.sleep(1_000);
    }
    clock.leap(61 * 60_000);
    await ground.until(
      'given up',
      async () => ((await listedMembers(ground, 'slow')).ids.includes(learner) ? undefined : true),
      undefined,
      () => words('slow'),
    );
    expect((await listedMembers(ground, 'slow')).voters).toEqual(before.voters);
    await cuts.disposeAsync();
    await ground.settled('slow');
    expect((await listedMembers(ground, 'slow')).voters).toHaveLength(5);
  });
});

describe('a member leaves', () => {
  test('fault 16: the operator ends between member remove and the deletion of the pod: the pod is recognised and deleted', async () => {
    await ground.create('left', { size: 3 });
    await ground.settled('left');
    const crash = crashBefore(ground, { verb: 'delete', resource: 'pods' });
    await ground.change('left', { size: 2 });
    await crash;
    expect((await listedMembers(ground, 'left')).ids).toHaveLength(2);
    expect(await ground.pods('left')).toHaveLength(3);
    ground.startOperator();
    await ground.settled('left');
    await ground.until('two pods', async () => ((await ground.pods('left')).length === 2 ? true : undefined));
    expect((await listedMembers(ground, 'left')).voters).toHaveLength(2);
  });

  test('fault 17: the operator ends between the deletion of pod and volume: the volume goes, and no later member mounts it', async () => {
    await ground.create('kept', { size: 3, pod: { persistentVolumeClaimSpec } });
    await ground.settled('kept');
    const crash = crashBefore(ground, { verb: 'delete', resource: 'persistentvolumeclaims' });
    await ground.change('kept', { size: 2 });
    await crash;
    const orphans = (await claims('kept')).map(({ metadata }) => metadata?.uid);
    expect(orphans).toHaveLength(3);
    const mounted = (await ground.pods('kept')).map(({ metadata }) => metadata?.name);
    const [orphan] = (await claims('kept')).filter(({ metadata }) => !mounted.includes(metadata?.name));
    await ground.change('kept', { size: 3 });
    ground.startOperator();
    await ground.settled('kept');
    await ground.until('three volumes', async () => {
      const found = (await claims('kept')).map(({ metadata }) => metadata?.uid);
      return found.length === 3 && !found.includes(orphan?.metadata?.uid) ? true : undefined;
    });
    expect((await listedMembers(ground, 'kept')).voters).toHaveLength(3);
  });

  test('fault 18: the member that must go is the leader: leadership moves first, and writes go on', async () => {
    await ground.create('led', { size: 1 });
    await ground.create('calm', { size: 1 });
    await ground.settled('led');
    await ground.settled('calm');
    const [oldest] = await ground.pods('led');
    // Only the leader's pod differs from the spec, so the leader is the member to remove.
    const etcdEnv = [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }];
    await ground.change('led', { size: 3, pod: { etcdEnv } });
    const { status } = await ground.settled('led');
    const leader = status?.memberDetails?.find(({ role }) => role === 'Leader');
    expect(leader?.name).toBe(oldest?.metadata?.name);
    const first = ground.log.length;
    const writer = await startWriter(ground, 'led', leader?.name);
    // Nothing changes in this cluster: it shows how long writes take on this machine at this time.
    const calm = await startWriter(ground, 'calm');
    await ground.change('led', { size: 2 });
    await ground.until('gone', async () =>
      (await listedMembers(ground, 'led')).ids.includes(leader?.id ?? '') ? undefined : true,
    );
    await ground.settled('led');
    const { longestGap, writes } = await writer.stop();
    const { longestGap: usual } = await calm.stop();
    const membership = steps(first).filter((step) => step === 'moveLeader' || step === 'removeMember');
    expect(membership.slice(0, 2)).toEqual(['moveLeader', 'removeMember']);
    expect(writes).toBeGreaterThan(5);
    // Without the move, followers would notice only after an election timeout of a second, and elect a leader then.
    expect(longestGap).toBeLessThan(3_000 + usual);
  });
});
