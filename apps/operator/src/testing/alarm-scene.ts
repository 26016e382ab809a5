// SPDX-License-Identifier: Apache-2.0
import { clientPort, formatId, MemberClient } from '@operator-parts/etcd';
import { events } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { expect } from 'vitest';
import type { Condition } from '../api/condition-schema.ts';
import { flipValue } from './flip-value.ts';
import type { OperatorLab } from './operator-lab.ts';

/** A client of one named member. */
export async function memberOf(ground: OperatorLab, cluster: string, name: string): Promise<MemberClient> {
  const pod = (await ground.pods(cluster)).find(({ metadata }) => metadata?.name === name);
  return new MemberClient({
    target: { host: pod?.status?.podIP ?? '', port: clientPort },
    clock: systemClock,
    dial: ({ host, port }) => ground.lab.dial(host, port),
    timeoutMs: 2_000,
  });
}

export async function available(ground: OperatorLab, cluster: string): Promise<Condition | undefined> {
  return (await ground.get(cluster)).status?.conditions?.find(({ type }) => type === 'Available');
}

/** Messages of the events on a cluster, with their reasons. */
export async function told(ground: OperatorLab, cluster: string): Promise<readonly string[]> {
  const { items } = await ground.lab.client().resource(events).list({ namespace: 'default' });
  return items
    .filter(({ involvedObject }) => involvedObject?.name === cluster)
    .map(({ reason = '', message = '' }) => `${reason}: ${message}`);
}

/** HashKV of every member at its present revision. */
export async function hashes(ground: OperatorLab, cluster: string): Promise<readonly string[]> {
  const names = (await ground.get(cluster)).status?.memberDetails?.map(({ name }) => name) ?? [];
  return Promise.all(
    names.map(async (name) => {
      using member = await memberOf(ground, cluster, name);
      const { hash, header, compactRevision } = await member.maintenance.hashKv(0n);
      return `${hash} at ${header.revision} from ${compactRevision}`;
    }),
  );
}

/**
 * Changes a value on the disk of a member, makes this member the leader, and waits until etcd's own check finds the difference. The alarm
 * may name another member.
 */
export async function corruptLeader(
  ground: OperatorLab,
  cluster: string,
): Promise<{ readonly name: string; readonly id: string }> {
  for (let write = 0; write < 20; write++) await ground.put(cluster, `key-${write % 5}`, `value-${write}`);
  await ground.put(cluster, 'needle', 'right-value');
  // etcd commits to its database ten times a second, so the value is on the disk now.
  await systemClock.sleep(1_000);
  const details = (await ground.settled(cluster)).status?.memberDetails ?? [];
  const { name: victim = '', id = '' } = details.find(({ role }) => role === 'Follower') ?? {};
  await flipValue(ground, victim, 'right-value', 'wrong-value');
  await ground.until(`${victim} leads`, () => lead(ground, cluster, victim).catch(() => undefined));
  using member = await memberOf(ground, cluster, victim);
  const { kvs, header } = await member.kv.range({ key: Buffer.from('needle'), serializable: true });
  expect(Buffer.from(kvs[0]?.value ?? []).toString()).toBe('wrong-value');
  await member.kv.compact({ revision: header.revision, physical: true });
  return { name: victim, id };
}

/** Makes a member the leader once its process runs again; undefined if that is not possible yet. */
async function lead(ground: OperatorLab, cluster: string, name: string): Promise<true | undefined> {
  using successor = await memberOf(ground, cluster, name);
  const { memberId, leader } = await successor.maintenance.status();
  if (leader === memberId) return true;
  const details = (await ground.get(cluster)).status?.memberDetails ?? [];
  const present = details.find(({ id }) => id === formatId(leader))?.name ?? '';
  using from = await memberOf(ground, cluster, present);
  await from.maintenance.moveLeader(memberId);
  return undefined;
}
