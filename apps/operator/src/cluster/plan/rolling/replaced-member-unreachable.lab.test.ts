// SPDX-License-Identifier: Apache-2.0
import { clientPort, formatId, MemberClient } from '@operator-parts/etcd';
import { persistentVolumeClaims } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';
import { crashAfter } from '../../faults/testing/operator-crash.ts';

let ground: OperatorLab;
beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 4 });
});
afterAll(() => ground?.[Symbol.asyncDispose]());

const namespace = 'default';

/**
 * The size does not change. The claim of one member is deleted, so that a fourth member is added to replace it. The operator is restarted
 * when the fourth becomes a voter. It then cannot reach a third member, which is Ready, serves and leads.
 */
test('the member that is removed after its replacement has joined is the one with the deleted data, not a Ready leader that only the operator cannot reach', async () => {
  const name = 'surge';
  const persistentVolumeClaimSpec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
  } as const;
  await ground.create(name, { size: 3, pod: { replaceAfter: '1h', persistentVolumeClaimSpec } });
  const { status } = await ground.settled(name);
  const leader = status?.memberDetails?.find(({ role }) => role === 'Leader');
  const doomed = status?.memberDetails?.find(({ role }) => role === 'Follower');
  const pod = (await ground.pods(name)).find(({ metadata }) => metadata?.name === leader?.name);
  const address = pod?.status?.podIP ?? '';
  using client = new MemberClient({
    target: { host: address, port: clientPort },
    clock: systemClock,
    dial: ({ host, port }) => ground.lab.dial(host, port),
  });
  // The operator is stopped while the fourth member is being created. Otherwise it would promote that learner within a second, too fast for
  // the test to see.
  const stopped = crashAfter(ground, { verb: 'create', resource: 'pods' });
  await ground.lab
    .client()
    .resource(persistentVolumeClaims)
    .delete({ namespace, name: doomed?.name ?? '' });
  await stopped;
  const learner = await ground.until(
    'a fourth',
    async () => (await client.cluster.memberList()).members.find((one) => one.isLearner),
    60_000,
  );
  await ground.until(
    'it votes',
    async () => {
      const found = (await client.cluster.memberList()).members;
      if (found.length === 4 && found.every((one) => !one.isLearner)) return true;
      return client.cluster
        .memberPromote(learner.id)
        .then(() => true)
        .catch(() => undefined);
    },
    60_000,
  );
  ground.paths.hide(address);
  ground.startOperator();
  let gone: number | undefined;
  const start = systemClock.monotonic();
  while (systemClock.monotonic() - start < 12_000 && gone === undefined) {
    await systemClock.sleep(100);
    const { members } = await client.cluster.memberList().catch(() => ({ members: undefined }));
    if (members === undefined || !members.some(({ id }) => formatId(id) === leader?.id))
      gone = systemClock.monotonic() - start;
  }
  expect(gone).toBeUndefined();
}, 300_000);
