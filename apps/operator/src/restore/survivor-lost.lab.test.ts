// SPDX-License-Identifier: Apache-2.0
import { labEtcd } from '@operator-parts/etcd/testing';
import { nodes } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdClusterSpec, etcdClusters } from '../api/etcd-cluster.ts';
import { etcdRestores } from '../api/etcd-restore.ts';
import { annotations } from '../api/names.ts';
import { cutOffNode } from '../testing/cut-off-node.ts';
import { RestoreLab } from './testing/restore-lab.ts';
import { persistentVolumeClaimSpec, SurvivorScene } from './testing/survivor-scene.ts';

const namespace = 'default';
const scoped = { [annotations.scope]: 'clusterwide' };

/** Longer than the restore takes to begin. */
const longer = 3_000;

describe('a recovery from a survivor by operators that read nodes', () => {
  let lab: RestoreLab;
  let scene: SurvivorScene;
  beforeAll(async () => {
    lab = await RestoreLab.start({ nodes: 4, operator: { clusterWide: true } });
    await lab.clusters.stopOperator();
    lab.clusters.startOperator({ clusterWide: true });
    scene = new SurvivorScene(lab);
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  const make = async (name: string, pod: EtcdClusterSpec['pod'] = {}) => {
    const spec = { size: 3, version: labEtcd.version, pod: { persistentVolumeClaimSpec, ...pod } };
    const metadata = { name, namespace, annotations: scoped };
    const object = { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster', metadata, spec } as const;
    await lab.clusters.lab.client().resource(etcdClusters.resource).create(object);
    await lab.clusters.settled(name);
    return scene.podNames(name);
  };

  const recover = (name: string, cluster: string, member?: string) =>
    lab.clusters.lab
      .client()
      .resource(etcdRestores.resource)
      .create({
        apiVersion: 'etcd.database.coreos.com/v1beta2',
        kind: 'EtcdRestore',
        metadata: { name, namespace, annotations: scoped },
        spec: { etcdCluster: { name: cluster }, source: { survivor: { ...(member !== undefined && { member }) } } },
      });

  const restart = async () => {
    await lab.clusters.stopOperator();
    return () => lab.clusters.startOperator({ clusterWide: true });
  };

  test('waits for a node that does not report, says so, and goes on once it is out of service', async () => {
    const { clusters } = lab;
    const name = 'cut';
    const [survivor = '', unreachable = '', lost = ''] = await make(name, { antiAffinity: true });
    const writer = await scene.recordedClient(name, survivor);
    await clusters.until('some writes', async () => (writer.acknowledged.length > 100 ? true : undefined));
    const pods = await clusters.pods(name);
    const uidOf = (pod: string) => pods.find(({ metadata }) => metadata?.name === pod)?.metadata?.uid;
    const node = pods.find(({ metadata }) => metadata?.name === unreachable)?.spec?.nodeName ?? '';
    const start = await restart();
    const cut = await cutOffNode(clusters.lab, node);
    await scene.lose([lost]);
    const acknowledged = await writer.stop();
    start();
    await scene.quorumLost(name);
    await recover('waits', name);
    await clusters.until('the recovery waits', async () => {
      const { status } = await lab.get('waits');
      return status?.reason?.includes(`node ${node} may still run pod/${unreachable}`) ? true : undefined;
    });
    await systemClock.sleep(longer);
    expect((await lab.get('waits')).status).toMatchObject({ phase: 'Verifying' });
    const unchanged = (await clusters.pods(name)).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    expect(unchanged.map(({ metadata }) => metadata?.uid)).toContain(uidOf(survivor));
    expect((await clusters.get(name)).metadata?.annotations?.[annotations.restore]).toBeUndefined();
    const taints = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }];
    await clusters.lab
      .client()
      .resource(nodes)
      .patch({ name: node }, { type: 'merge', patch: { spec: { taints } } });
    // As Kubernetes deletes the pods of such a node.
    await clusters.deletePod(unreachable, 0);
    const status = await lab.succeeded('waits', 240_000);
    // The logs of two of three were read: nothing is missing.
    expect(status.source?.survivor?.warning).toBeUndefined();
    await clusters.settled(name);
    const found = await scene.keys(name);
    expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
    expect(status.oldVolumes?.names?.toSorted()).toEqual([survivor, unreachable].toSorted());
    await clusters.delete(name);
    await cut.heal();
    await clusters.lab
      .client()
      .resource(nodes)
      .patch({ name: node }, { type: 'merge', patch: { spec: { taints: [] } } });
  }, 480_000);

  test('takes no blank volume for a member: it is refused until a person names the one that has data', async () => {
    const { clusters } = lab;
    const name = 'blank';
    const [survivor = '', blank = '', lost = ''] = await make(name);
    const writer = await scene.recordedClient(name, survivor);
    await clusters.until('some writes', async () => (writer.acknowledged.length > 100 ? true : undefined));
    const start = await restart();
    const pods = await clusters.pods(name);
    const frozen = await clusters.lab.faults.pod.freeze({ namespace, name: blank });
    await clusters.lab.faults.disk.blank({ namespace, name: blank }, 'etcd-data');
    await clusters.deletePod(blank, 0);
    await frozen.heal().catch(() => undefined);
    await scene.lose([lost]);
    for (const pod of pods) if (pod.metadata?.name === blank) await scene.ended(pod);
    const acknowledged = await writer.stop();
    start();
    await scene.quorumLost(name);
    await recover('refused', name);
    const refused = await lab.ended('refused', 240_000);
    expect(refused).toMatchObject({ phase: 'Failed' });
    expect(refused.reason).toContain(`the data of member ${blank} cannot be read (`);
    // An etcd that was started on it again may have left an empty database there.
    expect(refused.reason).toMatch(
      /the volume (is empty, although a member has served from it|has no write-ahead log \(WAL\))/,
    );
    expect(refused.reason).toContain(`set spec.source.survivor.member to ${survivor}`);
    await recover('named', name, survivor);
    const status = await lab.succeeded('named', 240_000);
    expect(status.source?.survivor).toMatchObject({ member: survivor });
    expect(status.source?.survivor?.warning).toContain(`the data of member ${blank} could not be read and is not used`);
    await clusters.settled(name);
    const found = await scene.keys(name);
    expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
  }, 480_000);
});
