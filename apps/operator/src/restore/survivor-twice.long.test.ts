// SPDX-License-Identifier: Apache-2.0
import { clientPort } from '@operator-parts/etcd';
import { persistentVolumeClaims } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

const name = 'twice';
const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;

let lab: RestoreLab;
beforeAll(async () => {
  lab = await RestoreLab.start({ versions: ['3.6'] });
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

/** As with `kubectl etcd recover` besides `quorumLoss: Automatic`, or if two people recover the same cluster. */
test('of two recoveries at a time the second leaves alone what the first has brought back', async () => {
  const { clusters } = lab;
  await clusters.create(name, { size: 3, version: '3.6.16', pod: { persistentVolumeClaimSpec } });
  await clusters.settled(name);
  const [, ...lost] = await clusters.pods(name);
  await clusters.stopOperator();
  const volumes = clusters.lab.client().resource(persistentVolumeClaims);
  for (const { metadata } of lost) {
    await volumes.delete({ namespace: 'default', name: metadata?.name ?? '' });
    await clusters.deletePod(metadata?.name ?? '', 0);
  }
  // A pod that is deleted by force runs on for a moment, and would give a quorum.
  for (const { status } of lost)
    await clusters.until('the lost members have ended', () =>
      clusters.lab.dial(status?.podIP ?? '', clientPort).then(
        (socket) => void socket.destroy(),
        () => true,
      ),
    );
  clusters.startOperator();
  await clusters.until('the quorum is lost', async () => {
    const { status } = await clusters.get(name);
    return status?.conditions?.some(({ reason }) => reason === 'QuorumLost') ? true : undefined;
  });
  const source = { etcdCluster: { name }, source: { survivor: {} } };
  await Promise.all([lab.create('first', source), lab.create('second', source)]);
  const ended = await Promise.all([lab.ended('first', 240_000), lab.ended('second', 240_000)]);
  const reasons = ended.map(({ phase, reason = '' }) => `${phase} ${reason}`).sort();
  expect(reasons).toEqual([expect.stringMatching(/^Failed .*has a quorum/), expect.stringMatching(/^Succeeded/)]);
  const { status } = await clusters.settled(name);
  expect(status).toMatchObject({ incarnation: 2, readySize: 3 });
  const serving = (await clusters.pods(name)).filter(({ metadata }) => metadata?.labels?.['app'] === 'etcd');
  expect(serving).toHaveLength(3);
});
