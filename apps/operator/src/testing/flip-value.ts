// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperatorLab } from './operator-lab.ts';

/**
 * Changes a value in the database file of one member while its process does not run, as a bad disk does. The file stays valid, because
 * bbolt has checksums for its meta pages only. The kubelet restarts the member, which then serves the other value.
 */
export async function flipValue(ground: OperatorLab, pod: string, value: string, other: string): Promise<void> {
  if (value.length !== other.length) throw new Error('both values must have the same length');
  const key = { namespace: 'default', name: pod };
  const file = join(ground.lab.faults.disk.path(key, 'etcd-data'), 'data/member/snap/db');
  const frozen = await ground.lab.faults.pod.freeze(key);
  const data = await readFile(file);
  const places = [...data.toString('latin1').matchAll(new RegExp(value, 'g'))].map(({ index }) => index);
  if (places.length === 0) throw new Error(`${value} is not in ${file}`);
  for (const place of places) data.write(other, place, 'latin1');
  await writeFile(file, data);
  await ground.lab.faults.pod.signal(key, 'SIGKILL', 'etcd');
  await frozen.heal();
}
