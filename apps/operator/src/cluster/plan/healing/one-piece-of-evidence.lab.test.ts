// SPDX-License-Identifier: Apache-2.0
import { clientPort, formatId, MemberClient } from '@operator-parts/etcd';
import { persistentVolumeClaims, pods } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labels } from '../../../api/names.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';
import { addUnmanagedLearner } from '../../../testing/unmanaged-member.ts';

let ground: OperatorLab;
beforeAll(async () => {
  ground = await OperatorLab.start();
});
afterAll(() => ground?.[Symbol.asyncDispose]());

const namespace = 'default';
const said = async (name: string) => {
  const { status } = await ground.get(name);
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  return JSON.stringify({ available: [available?.status, available?.reason, available?.message], plan: status?.plan });
};
function clientOf(host: string) {
  return new MemberClient({
    target: { host, port: clientPort },
    clock: systemClock,
    dial: ({ host: to, port }) => ground.lab.dial(to, port),
  });
}

test('a running, Ready, leading voter whose pod lost a label is not removed', async () => {
  const name = 'strip';
  await ground.create(name, { size: 3, pod: { replaceAfter: '1h' } });
  const { status } = await ground.settled(name);
  const leader = status?.memberDetails?.find(({ role }) => role === 'Leader');
  await ground.lab
    .client()
    .resource(pods)
    .patch(
      { namespace, name: leader?.name ?? '' },
      { type: 'merge', patch: { metadata: { labels: { [labels.cluster]: null } } } },
    );
  const [other] = await ground.pods(name);
  let isGone = false;
  for (
    const end = systemClock.monotonic() + 8_000;
    systemClock.monotonic() < end && !isGone;
    await systemClock.sleep(100)
  ) {
    using asked = clientOf(other?.status?.podIP ?? '');
    const listed = await asked.cluster.memberList().catch(() => undefined);
    isGone = listed !== undefined && !listed.members.some(({ id }) => formatId(id) === leader?.id);
  }
  expect(isGone).toBe(false);
});

test('a member on a volume whose claim lost a label comes back from it, and the status does not say that all data is gone', async () => {
  const name = 'claim';
  await ground.create(name, {
    size: 1,
    pod: {
      persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  });
  await ground.settled(name);
  await ground.put(name, 'a', 'precious');
  const [pod] = await ground.pods(name);
  const key = { namespace, name: pod?.metadata?.name ?? '' };
  await ground.lab
    .client()
    .resource(persistentVolumeClaims)
    .patch(key, { type: 'merge', patch: { metadata: { labels: { [labels.cluster]: null } } } });
  await systemClock.sleep(3_000);
  await ground.deletePod(key.name, 1);
  const isBack = async () => {
    const [next] = await ground.pods(name);
    return next?.status?.podIP && next.metadata?.uid !== pod?.metadata?.uid ? true : undefined;
  };
  expect(await ground.until('it has another pod on its volume', isBack)).toBe(true);
  await ground.settled(name);
  expect(await ground.read(name, 'a')).toBe('precious');
});

test('fault 22: a member that a user adds for another site, called <cluster>-2024 and under another domain, is left alone', async () => {
  const name = 'named';
  await ground.create(name, { size: 3 });
  await ground.settled(name);
  using member = await ground.member(name);
  const { member: added } = await ground.until('added', () =>
    member.cluster
      .memberAdd({ peerUrls: ['http://named-2024.site-b.example:2380'], isLearner: true })
      .catch(() => undefined),
  );
  await systemClock.sleep(5_000);
  const { members } = await member.cluster.memberList();
  // A learner that has not started may be removed after five minutes, not earlier.
  expect(members.map((one) => one.id)).toContain(added?.id);
});

test('two own members and a healthy unmanaged voter: a lost own member is replaced', async () => {
  const name = 'mixed';
  await ground.create(name, { size: 2, pod: { replaceAfter: '5s' } });
  await ground.settled(name);
  const { id } = await addUnmanagedLearner(ground, name, 'site-b');
  {
    using member = await ground.member(name);
    await ground.until('promoted', () =>
      member.cluster
        .memberPromote(id)
        .then(() => true)
        .catch(() => undefined),
    );
  }
  await systemClock.sleep(3_000);
  const [victim] = await ground.pods(name);
  await ground.deletePod(victim?.metadata?.name ?? '', 0);
  const isBack = await ground
    .until(
      'replaced',
      async () =>
        (await ground.pods(name)).filter(({ metadata }) => metadata?.uid !== victim?.metadata?.uid).length === 2
          ? true
          : undefined,
      60_000,
    )
    .catch(() => false);
  await ground.put(name, 'still', 'served');
  expect(isBack).toBe(true);
}, 300_000);

test('while a linearizable read succeeds, status does not say QuorumLost, whoever is not Ready', async () => {
  const name = 'probe';
  await ground.create(name, { size: 3, pod: { replaceAfter: '1h' } });
  await ground.settled(name);
  const [first, ...others] = await ground.pods(name);
  const cuts = await Promise.all(
    others.map(({ metadata }) =>
      ground.lab.faults.network.cut({ pod: { namespace, name: metadata?.name ?? '' } }, 'lab'),
    ),
  );
  let seen = '';
  for (
    const end = systemClock.monotonic() + 20_000;
    systemClock.monotonic() < end && seen === '';
    await systemClock.sleep(500)
  ) {
    using member = clientOf(first?.status?.podIP ?? '');
    const ok = await member.kv
      .put({ key: Buffer.from('w'), value: Buffer.from('1') })
      .then(() => true)
      .catch(() => false);
    const now = await said(name);
    if (ok && now.includes('QuorumLost')) seen = now;
  }
  for (const cut of cuts) await cut.heal();
  expect(seen).toBe('');
});
