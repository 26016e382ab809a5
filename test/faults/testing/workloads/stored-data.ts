// SPDX-License-Identifier: Apache-2.0
import { labEtcd } from '@operator-parts/etcd/testing';
import { Backups } from '../backups.ts';
import type { Clusters } from '../clusters.ts';
import type { Scene } from '../scene.ts';

export const { version } = labEtcd;

/** A cluster with some data. */
export async function filled(scene: Scene, clusters: Clusters, size: number): Promise<void> {
  await new Backups(scene).allow();
  await clusters.create({ size, version });
  await clusters.settled();
  using member = clusters.member();
  for (const key of ['a', 'b', 'c']) await member.kv.put({ key: Buffer.from(key), value: Buffer.from(`of ${key}`) });
}

/** The same, with its backup. */
export async function savedOnce(scene: Scene, clusters: Clusters, size: number): Promise<void> {
  await filled(scene, clusters, size);
  const backups = new Backups(scene);
  await backups.create('saved');
  await backups.succeeded('saved');
  using member = clusters.member();
  await member.kv.put({ key: Buffer.from('a'), value: Buffer.from('written later') });
}

/** What is in the cluster, apart from what the client writes all the time. */
export async function contents(_scene: Scene, clusters: Clusters): Promise<readonly string[]> {
  using member = clusters.member();
  const { kvs } = await member.kv.range({ key: Buffer.from('a'), rangeEnd: Buffer.from('d') });
  return kvs.map(({ key, value }) => `key ${Buffer.from(key)} = ${Buffer.from(value)}`);
}
