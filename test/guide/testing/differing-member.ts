// SPDX-License-Identifier: Apache-2.0
import { open, readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Reader } from './reader.ts';

const [right, wrong] = ['right-value', 'wrong-value'];

/**
 * Changes the value of the key `needle` on the disk of one member, like a bad disk, and makes etcd notice: bbolt has
 * checksums only for its meta pages. Resolves with the name of that member.
 */
export async function makeOneDiffer(reader: Reader, cluster: string): Promise<string> {
  const found = await reader.type(
    `kubectl get pods -l etcd_cluster=${cluster} -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}'`,
  );
  const [pod = '', uid = ''] = found.trim().split('\n').at(-1)?.split(' ') ?? [];
  await reader.type(`kubectl exec ${pod} -c etcd -- etcdctl put needle ${right}`);
  const file = (await reader.type(`find "$(dirname "$KUBECONFIG")" -path '*${uid}*' -name db`)).trim();
  // etcd writes to its database ten times a second, and serves recent writes from memory until the next ones.
  for (let tries = 0; tries < 20; tries++) {
    await reader.type(`sleep 0.5 && kubectl exec ${pod} -c etcd -- etcdctl put another ${tries} && sleep 0.5`);
    await overwrite(file, right, wrong);
    if ((await readValue(reader, pod, 'needle')) === wrong) break;
  }
  expect(await readValue(reader, pod, 'needle')).toBe(wrong);
  await reader.type(`revision=$(kubectl exec ${pod} -c etcd -- etcdctl get needle -w fields | grep '"Revision"' | tr -dc 0-9)
    kubectl exec ${pod} -c etcd -- etcdctl compact $revision --physical`);
  return pod;
}

/** Each member's own value of a key. */
export async function valuesOf(reader: Reader, cluster: string, key: string): Promise<readonly string[]> {
  const pods = await reader.type(`kubectl get pods -l etcd_cluster=${cluster} -o jsonpath='{.items[*].metadata.name}'`);
  return Promise.all(pods.split(' ').map((pod) => readValue(reader, pod, key)));
}

async function readValue(reader: Reader, pod: string, key: string): Promise<string> {
  const value = await reader.type(
    `kubectl exec ${pod} -c etcd -- etcdctl get ${key} --consistency=s --print-value-only`,
  );
  return value.trim();
}

/** In place: the process has mapped the file, and sees the change. */
async function overwrite(file: string, value: string, other: string): Promise<void> {
  const text = (await readFile(file)).toString('latin1');
  const places = [...text.matchAll(new RegExp(value, 'g'))].map(({ index }) => index);
  await using handle = await open(file, 'r+');
  for (const place of places) await handle.write(other, place, 'latin1');
}
