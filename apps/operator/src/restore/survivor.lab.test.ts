// SPDX-License-Identifier: Apache-2.0
import { labEtcd } from '@operator-parts/etcd/testing';
import type { Pod } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labels } from '../api/names.ts';
import { RestoreLab } from './testing/restore-lab.ts';
import { persistentVolumeClaimSpec, SurvivorScene } from './testing/survivor-scene.ts';

const releases = { '3.5': '3.5.35', '3.6': '3.6.16', '3.7': '3.7.3' } as const;

describe('an EtcdRestore from a survivor', () => {
  let lab: RestoreLab;
  let scene: SurvivorScene;
  beforeAll(async () => {
    lab = await RestoreLab.start({ versions: ['3.5', '3.6', '3.7'] });
    scene = new SurvivorScene(lab);
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  test.each(Object.entries(releases))(
    'brings back every acknowledged write after two of three members were lost for good, etcd %s',
    async (minor, version) => {
      const { clusters } = lab;
      const name = `alone-${minor.replace('.', '')}`;
      await clusters.create(name, { size: 3, version, pod: { persistentVolumeClaimSpec } });
      const before = await clusters.settled(name);
      const members = await scene.podNames(name);
      const survivor = members[1] ?? '';
      const writer = await scene.recordedClient(name, survivor);
      await clusters.until('some hundred writes', async () => (writer.acknowledged.length > 300 ? true : undefined));
      await clusters.stopOperator();
      await scene.lose(members.filter((member) => member !== survivor));
      const acknowledged = await writer.stop();
      clusters.startOperator();
      await scene.quorumLost(name);
      const [kept] = await scene.claims(name);
      await scene.recover(name);
      const status = await lab.succeeded(name, 240_000);
      // The snapshot of the member before its end has the same data, if its log had no more than it had applied.
      expect(status.source?.path).toMatch(new RegExp(`^(pvc/${survivor}|pod/${name}-snapshot-[0-9a-f]{8})$`));
      expect(status.source).toMatchObject({
        verified: 'Survivor',
        survivor: { member: survivor },
      });
      const after = await clusters.settled(name);
      expect(after.status).toMatchObject({ incarnation: 2, readySize: 3 });
      expect(after.status?.clusterID).not.toBe(before.status?.clusterID);
      const found = await scene.keys(name);
      expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
      // The volume of the survivor is unchanged, and listed.
      expect(status.oldVolumes?.names).toEqual([survivor]);
      expect((await scene.claims(name)).map(({ metadata }) => metadata?.uid)).toContain(kept?.metadata?.uid);
      // No pod of the previous incarnation is left.
      const pods = await clusters.pods(name);
      expect(pods.map(({ metadata }) => metadata?.labels?.[labels.incarnation])).toEqual(['2', '2', '2']);
      await clusters.put(name, 'afterwards', 'served');
    },
    480_000,
  );

  test('takes the most advanced of two survivors, refuses the other one by name, and is refused while there is a quorum', async () => {
    const { clusters } = lab;
    const name = 'two';
    await clusters.create(name, { size: 5, version: labEtcd.version, pod: { persistentVolumeClaimSpec } });
    await clusters.settled(name);
    await lab.create('needless', { etcdCluster: { name }, source: { survivor: {} } });
    expect((await lab.ended('needless')).reason).toContain('the cluster has a quorum');
    expect((await clusters.get(name)).status).toMatchObject({ incarnation: 1, readySize: 5 });
    const [ahead = '', behind = '', ...lost] = await scene.podNames(name);
    await clusters.stopOperator();
    const stopped = (await clusters.pods(name)).filter(({ metadata }) => metadata?.name === behind);
    await clusters.deletePod(behind, 0);
    // While the member still runs it receives writes, and would not be behind.
    for (const pod of stopped) await scene.ended(pod);
    const writer = await scene.recordedClient(name, ahead);
    await clusters.until('some hundred writes', async () => (writer.acknowledged.length > 200 ? true : undefined));
    await scene.lose(lost);
    const acknowledged = await writer.stop();
    clusters.startOperator();
    await scene.quorumLost(name);
    await scene.recover(name, behind);
    const refused = await lab.ended(name, 180_000);
    expect(refused).toMatchObject({ phase: 'Failed' });
    expect(refused.reason).toContain(`member ${behind} is behind member ${ahead}`);
    expect(refused.reason).toContain('WAL entries would be lost');
    // Everything is rolled back: both are started on their volumes again.
    await clusters.until('both members run again', async () => {
      const pods = await clusters.pods(name);
      const isBack = pods.every(({ metadata }) => metadata?.labels?.['app'] === 'etcd' && !metadata.deletionTimestamp);
      return pods.length === 2 && isBack ? true : undefined;
    });
    await scene.quorumLost(name);
    await lab.delete(name);
    await lab.create('again', { etcdCluster: { name }, source: { survivor: {} } });
    const status = await lab.succeeded('again', 240_000);
    expect(status.source?.survivor).toMatchObject({ member: ahead });
    await clusters.settled(name);
    const found = await scene.keys(name);
    expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
    expect([...(status.oldVolumes?.names ?? [])].sort()).toEqual([ahead, behind].sort());
  }, 600_000);

  test('of a cluster without volumes takes a snapshot of the pod that still runs, and says what may be missing', async () => {
    const { clusters } = lab;
    const name = 'bare';
    await clusters.create(name, { size: 3, version: labEtcd.version });
    await clusters.settled(name);
    const [survivor = '', ...lost] = await scene.podNames(name);
    const writer = await scene.recordedClient(name, survivor);
    await clusters.until('some writes', async () => (writer.acknowledged.length > 100 ? true : undefined));
    await clusters.stopOperator();
    await Promise.all(lost.map((pod) => clusters.deletePod(pod, 0)));
    // Recovers at once: the pods run on for a moment, and the survivor names a leader even longer. Neither ends the recovery.
    await scene.recover(name, survivor);
    const acknowledged = await writer.stop();
    clusters.startOperator();
    const status = await lab.succeeded(name, 180_000);
    expect(status.source).toMatchObject({ path: `pod/${survivor}`, survivor: { member: survivor } });
    expect(status.source?.survivor?.warning).toContain('has no volume');
    await clusters.settled(name);
    const found = await scene.keys(name);
    expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
  }, 300_000);

  const uidsOf = (pods: readonly Pod[]) => new Set(pods.map(({ metadata }) => metadata?.uid));

  test('waits while members are Ready that only the operators cannot reach: nothing is touched', async () => {
    const { clusters } = lab;
    const name = 'unseen';
    await clusters.create(name, { size: 3, version: labEtcd.version, pod: { persistentVolumeClaimSpec } });
    await clusters.settled(name);
    const before = await clusters.pods(name);
    await clusters.cutOperatorsOff(name);
    await scene.recover(name);
    const { phase } = await clusters.until('the recovery waits', async () => {
      const { status } = await lab.get(name);
      return status?.reason?.includes('is Ready, so its etcd serves clients') ? status : undefined;
    });
    expect(phase).toBe('Verifying');
    await lab.delete(name);
    clusters.paths.showAll();
    expect((await clusters.settled(name)).status).toMatchObject({ incarnation: 1 });
    expect(uidsOf(await clusters.pods(name))).toEqual(uidsOf(before));
  }, 300_000);
});
