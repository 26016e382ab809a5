// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { EtcdLab } from '@operator-parts/etcd/testing';
import { etcdTool } from '../../testing/etcd-tools.ts';

/** The keys in a snapshot file. etcd's own tool restores it, and a new member lists the keys; none of our code is involved. */
export async function restoredKeys(lab: EtcdLab, minor: string, file: string): Promise<readonly string[]> {
  const member = await lab.member();
  await etcdTool(minor, [
    'snapshot',
    'restore',
    file,
    `--data-dir=${join(lab.directory, member.name)}`,
    `--name=${member.name}`,
    `--initial-cluster=${member.name}=${member.peerUrl}`,
    `--initial-advertise-peer-urls=${member.peerUrl}`,
  ]);
  await member.start({ version: minor });
  try {
    const everything = Buffer.of(0);
    const client = member.client({ timeoutMs: 60_000 });
    const { kvs } = await client.kv.range({ key: everything, rangeEnd: everything, keysOnly: true });
    return kvs.map(({ key }) => Buffer.from(key).toString());
  } finally {
    member.closeClients();
    await member.stop('SIGKILL');
  }
}
