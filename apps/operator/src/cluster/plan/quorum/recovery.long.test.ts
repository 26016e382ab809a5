// SPDX-License-Identifier: Apache-2.0
import { nodes } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cutOffNode } from '../../../testing/cut-off-node.ts';
import { automatic, onVolumes, RecoveryScene } from './testing/recovery-scene.ts';

/** Longer than the wait before a recovery. */
const longer = 15_000;

describe('a cluster without a quorum is not recovered by itself', () => {
  let scene: RecoveryScene;
  beforeAll(async () => {
    scene = await RecoveryScene.start();
  }, 120_000);
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]();
  });

  test('while one volume is there, nor where the spec does not ask for it: the status says the command', async () => {
    const { clusters } = scene;
    const kept = await scene.made('kept', { ...onVolumes, recovery: automatic });
    await scene.made('manual', onVolumes);
    await scene.made('never', { ...onVolumes, recovery: { quorumLoss: 'Never' } });
    const [, waiting = '', gone = ''] = await scene.namesOf('kept');
    const [left, ...others] = await scene.namesOf('manual');
    const [, ...more] = await scene.namesOf('never');
    await clusters.stopOperator();
    await scene.cordon(true);
    await scene.lose([gone, ...others, ...more]);
    await clusters.deletePod(waiting, 0);
    clusters.startOperator();
    await scene.says('kept', `pvc/${waiting} still exists`);
    await scene.says('manual', 'run kubectl etcd recover manual --yes');
    expect(await scene.messageOf('manual')).toContain(`To recover from member ${left}`);
    await scene.says('never', 'spec.recovery.quorumLoss is Never: restore a backup');
    await systemClock.sleep(longer);
    for (const name of ['kept', 'manual', 'never']) expect(await scene.restoresOf(name)).toEqual([]);
    await scene.lab.create('asked', { etcdCluster: { name: 'never' }, source: { survivor: {} } });
    expect((await scene.lab.ended('asked')).reason).toContain(
      'EtcdCluster never is not recovered from its members, because its spec.recovery.quorumLoss is Never',
    );
    await scene.cordon(false);
    const back = await clusters.settled('kept', 120_000);
    expect(back.status).toMatchObject({ incarnation: 1, clusterID: kept.status?.clusterID });
    await Promise.all(['kept', 'manual', 'never'].map((name) => clusters.delete(name)));
  }, 400_000);

  const outOfService = async (name: string) => {
    const taints = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }];
    await scene.client.resource(nodes).patch({ name }, { type: 'merge', patch: { spec: { taints } } });
  };
  const deleted = async (name: string) => {
    await scene.client.resource(nodes).delete({ name });
  };

  test.each([
    ['declared out of service', 'bare', outOfService],
    ['deleted', 'stripped', deleted],
  ])(
    'while a node only does not report; it is, once the node is %s',
    async (_how, name, giveUp) => {
      const { clusters } = scene;
      await scene.made(name, { size: 3, version: onVolumes.version, recovery: automatic });
      await clusters.put(name, 'w', 'kept');
      const [, cutOff, gone] = await clusters.pods(name);
      const node = cutOff?.spec?.nodeName ?? '';
      await clusters.stopOperator();
      const cut = await cutOffNode(clusters.lab, node);
      await clusters.deletePod(gone?.metadata?.name ?? '', 0);
      clusters.startOperator();
      await scene.says(name, `pod/${cutOff?.metadata?.name}`);
      await systemClock.sleep(longer);
      expect(await scene.restoresOf(name)).toEqual([]);
      await giveUp(node);
      // Kubernetes itself deletes such pods from the API, but later; this restore operator cannot read nodes.
      await clusters.deletePod(cutOff?.metadata?.name ?? '', 0);
      await scene.recovered(name);
      expect(await clusters.read(name, 'w')).toBe('kept');
      await cut.heal();
      await clusters.delete(name);
    },
    400_000,
  );
});
