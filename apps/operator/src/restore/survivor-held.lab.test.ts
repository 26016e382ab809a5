// SPDX-License-Identifier: Apache-2.0

import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { labEtcd } from '@operator-parts/etcd/testing';
import { ignoreNotFound, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';
import { persistentVolumeClaimSpec, SurvivorScene } from './testing/survivor-scene.ts';

const namespace = 'default';

describe('a recovery from a member that still runs', () => {
  let lab: RestoreLab;
  let scene: SurvivorScene;
  beforeAll(async () => {
    lab = await RestoreLab.start();
    scene = new SurvivorScene(lab);
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  /** A running etcd does not read its log again, and notices nothing. */
  const damageLog = async (name: string) => {
    const folder = join(lab.clusters.lab.faults.disk.path({ namespace, name }, 'etcd-data'), 'data/member/wal');
    const [first = ''] = (await readdir(folder)).filter((file) => file.endsWith('.wal')).sort();
    await using file = await open(join(folder, first), 'r+');
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 4_096);
    await file.write(Buffer.of((buffer[0] ?? 0) ^ 0xff), 0, 1, 4_096);
  };

  const podNamed = (name: string) => ignoreNotFound(lab.clusters.lab.client().resource(pods).get({ namespace, name }));

  test('uses the snapshot that was taken before the member was stopped where its log turns out to be damaged', async () => {
    const { clusters } = lab;
    const name = 'damaged';
    await clusters.create(name, { size: 3, version: labEtcd.version, pod: { persistentVolumeClaimSpec } });
    await clusters.settled(name);
    const [survivor = '', ...others] = await scene.podNames(name);
    const writer = await scene.recordedClient(name, survivor);
    await clusters.until('some hundred writes', async () => (writer.acknowledged.length > 300 ? true : undefined));
    await clusters.stopOperator();
    await scene.lose(others);
    const acknowledged = await writer.stop();
    await damageLog(survivor);
    clusters.startOperator();
    await scene.quorumLost(name);
    await scene.recover(name);
    const status = await lab.succeeded(name, 240_000);
    const holder = status.safetySnapshot?.path ?? '';
    expect(holder).toMatch(/^pod\/damaged-snapshot-/);
    expect(status.safetySnapshot).toMatchObject({ members: [survivor], current: false });
    expect(status.source).toMatchObject({ path: holder, survivor: { member: survivor, term: 0 } });
    expect(status.source?.survivor?.warning).toContain('checksum');
    expect(status.source?.survivor?.warning).toContain('received but not applied are missing');
    await clusters.settled(name);
    // The member ran until the end, so it had applied all that was acknowledged.
    const found = await scene.keys(name);
    expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
    expect((await scene.claims(name)).map(({ metadata }) => metadata?.name)).toContain(survivor);
    const gone = async () => ((await podNamed(holder.slice('pod/'.length))) ? undefined : true);
    await clusters.until('the pod with the snapshot is gone', gone);
  }, 480_000);

  test('uses the snapshot, and copies no volume, where the log of the member has nothing more', async () => {
    const { clusters } = lab;
    const name = 'idle';
    await clusters.create(name, { size: 3, version: labEtcd.version, pod: { persistentVolumeClaimSpec } });
    await clusters.settled(name);
    const [survivor = '', ...others] = await scene.podNames(name);
    for (let index = 0; index < 20; index++) await clusters.put(name, `w${index}`, 'kept');
    await clusters.stopOperator();
    await scene.lose(others);
    clusters.startOperator();
    await scene.quorumLost(name);
    await scene.recover(name);
    const status = await lab.succeeded(name, 240_000);
    expect(status.source).toMatchObject({ path: status.safetySnapshot?.path, verified: 'Survivor' });
    expect(status.source?.path).toMatch(/^pod\/idle-snapshot-/);
    expect(status.source?.survivor).toMatchObject({ member: survivor });
    expect(status.source?.survivor?.term).toBeGreaterThan(0);
    await clusters.settled(name);
    using member = await clusters.member(name);
    for (let index = 0; index < 20; index++) {
      const { kvs } = await member.kv.range({ key: Buffer.from(`w${index}`) });
      expect(Buffer.from(kvs[0]?.value ?? []).toString()).toBe('kept');
    }
    expect((await scene.claims(name)).map(({ metadata }) => metadata?.name)).toContain(survivor);
  }, 480_000);

  test('keeps the snapshot where it fails after the member was stopped, until the EtcdRestore is deleted', async () => {
    const { clusters } = lab;
    const name = 'unused';
    await clusters.create(name, { size: 5, version: labEtcd.version, pod: { persistentVolumeClaimSpec } });
    await clusters.settled(name);
    const [survivor = '', other = '', ...lost] = await scene.podNames(name);
    for (let index = 0; index < 20; index++) await clusters.put(name, `w${index}`, 'kept');
    await clusters.stopOperator();
    await scene.lose(lost);
    await clusters.deletePod(other);
    await clusters.until('it is gone', async () => ((await podNamed(other)) ? undefined : true));
    await damageLog(survivor);
    clusters.startOperator();
    await scene.recover(name);
    // The log of the other one has all of the snapshot. That it is not behind what the damaged log had is for a person to say.
    const failed = await lab.ended(name, 240_000);
    expect(failed).toMatchObject({ phase: 'Failed' });
    expect(failed.reason).toContain(
      `A snapshot of member ${survivor}, taken before the member was stopped, is in pod/`,
    );
    const holder = failed.safetySnapshot?.path?.slice('pod/'.length) ?? '';
    expect((await podNamed(holder))?.status?.phase).toBe('Running');
    await lab.delete(name);
    const gone = async () => ((await podNamed(holder)) ? undefined : true);
    await clusters.until('the pod with the snapshot is gone', gone);
  }, 480_000);
});
