// SPDX-License-Identifier: Apache-2.0
import { etcdClusters } from '@etcd-operator/operator';
import { type Access, findCluster } from '../access.ts';
import type { Report } from '../render/print.ts';

/** Sets `spec.paused`. It takes effect only if an operator runs, which sets `status.controlPaused`. */
export async function pause(access: Access, name: string | undefined, paused: boolean): Promise<Report> {
  const { metadata = {}, spec } = await findCluster(access, name);
  const { name: found = '', uid, generation } = metadata;
  const word = paused ? 'paused' : 'resumed';
  if ((spec.paused ?? false) === paused) return report(found, paused, `EtcdCluster ${found} is ${word} already.`);
  const { client, namespace, signal } = access;
  const patch = { metadata: { uid }, spec: { paused } };
  const options = { fieldManager: 'kubectl-etcd', signal };
  const changed = await client
    .resource(etcdClusters.resource)
    .patch({ namespace, name: found }, { type: 'merge', patch }, options);
  const effect = paused
    ? 'The operator does not change or repair this cluster until you run kubectl etcd resume.'
    : 'The operator now applies all changes that were made to the spec during the pause. To see the progress: kubectl etcd status --watch.';
  const isNew = changed.metadata?.generation !== generation;
  return report(found, paused, `EtcdCluster ${found} is ${word}. ${isNew ? effect : ''}`.trim());
}

function report(cluster: string, paused: boolean, line: string): Report {
  return { data: { cluster, paused }, lines: () => [line] };
}
