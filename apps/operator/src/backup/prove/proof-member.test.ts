// SPDX-License-Identifier: Apache-2.0
import { createClient, type Pod, pods } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { seededRandom, VirtualClock } from '@operator-parts/ports';
import { afterAll, expect, test } from 'vitest';
import { desiredOf } from '../../cluster/desired.ts';
import { ProofError } from './proof-error.ts';
import { ProofMember } from './proof-member.ts';
import { proofPod } from './proof-pod.ts';

const server = createApiServer();
const client = createClient(server.transport());
const { signal } = new AbortController();
afterAll(() => server.close());

const spec = { size: 1, version: '3.6.16', pod: { checkDNS: false } };
const desired = desiredOf('proof', spec);
if ('problems' in desired) throw new Error(desired.problems.join());
const made = { desired, spec, cluster: undefined, bytes: 1, loginSecret: undefined };
const agent = { image: 'operator:1', namespace: 'operators', pullSecrets: [] };

/** The pod of an earlier proof. With a finalizer it is not deleted, like a pod on a node that is down. */
async function leftBy(uid: string, metadata: Pod['metadata'] = {}) {
  const backup = { name: 'nightly', namespace: 'default', uid };
  const pod = proofPod({ ...made, backup, agent });
  await client.resource(pods).create({ ...pod, metadata: { ...pod.metadata, ...metadata } });
  const clock = new VirtualClock();
  const dial = () => Promise.reject(new Error('nobody is there'));
  const ports = { client, clock, random: seededRandom(1), dial, fence: () => undefined };
  return { clock, member: new ProofMember(backup, ports, signal), name: pod.metadata?.name ?? '' };
}

async function outcomeOf(removal: Promise<void>, clock: VirtualClock) {
  let outcome: unknown = 'nothing yet';
  removal.then(
    () => (outcome = 'gone'),
    (error: unknown) => (outcome = error),
  );
  await clock.advance(30 * 60_000);
  return outcome;
}

test('the pod of an earlier proof is removed', async () => {
  const { clock, member } = await leftBy('00000000-1');
  expect(await outcomeOf(member.remove(), clock)).toBe('gone');
});

test('one that does not end is not waited for without end: the proofs of others wait for this one', async () => {
  const { clock, member, name } = await leftBy('11111111-1', { finalizers: ['example.com/stuck'] });
  const outcome = await outcomeOf(member.remove(), clock);
  expect(outcome).toBeInstanceOf(ProofError);
  expect(outcome).toMatchObject({ kind: 'untried', reason: 'ProofPodFailed' });
  expect(String(outcome)).toContain(`pod/${name} of an earlier test restore has not terminated`);
});

test('one that does not end takes nothing from what it has shown', async () => {
  const { clock, member } = await leftBy('22222222-1', { finalizers: ['example.com/stuck'] });
  expect(await outcomeOf(member.discard(), clock)).toBe('gone');
});
