// SPDX-License-Identifier: Apache-2.0

/** What each kind is, in one sentence, for catalogues. */
const words: Readonly<Record<string, string>> = {
  EtcdCluster: 'An etcd cluster: its size, version, TLS, volumes and pods.',
  EtcdBackup: 'A backup of an etcd cluster, once or on a schedule, to an object store; verified before it counts.',
  EtcdRestore: 'Brings an etcd cluster back from a backup, or from the data of a remaining member.',
};

/** @throws if the kind is new: give it its sentence above */
export function kindWords(kind: string): string {
  const found = words[kind];
  if (found === undefined) throw new Error(`kind ${kind} has no sentence in tools/release/kind-words.ts`);
  return found;
}

/** `EtcdCluster` as people write it: `Etcd Cluster`. */
export function displayName(kind: string): string {
  return kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
}
