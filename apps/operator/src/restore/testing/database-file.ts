// SPDX-License-Identifier: Apache-2.0
import { EtcdLab } from '@operator-parts/etcd/testing';

/** A snapshot of a real etcd with a few keys. */
export async function databaseFile(): Promise<Buffer> {
  await using lab = await EtcdLab.open();
  const member = await (await lab.member()).start();
  const client = member.client();
  for (let index = 0; index < 20; index++) {
    await client.kv.put({ key: Buffer.from(`key-${index}`), value: Buffer.alloc(200, `v${index}`) });
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of client.maintenance.snapshot()) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
