// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '@etcd-operator/tools/cluster';
import type { Pod } from '@operator-parts/kube';

/**
 * Kills every process of these pods at once, including their pause containers, as a node's reboot does. The kubelet
 * then recreates them: same pod, new address, emptyDir kept.
 */
export function rebootPods(cluster: Cluster, pods: readonly Pod[]): void {
  const uids = pods.map(({ metadata }) => metadata?.uid ?? 'none');
  const pids = processesBelow(hierarchy(cluster.layout.cgroup), (group) =>
    uids.some((uid) => group.includes(`/pod${uid}`)),
  );
  for (const pid of pids) unlessGone(() => process.kill(pid, 'SIGKILL'), undefined);
}

/** The first process of a container ends with all others; cgroups of other pods appear and disappear meanwhile. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (['ESRCH', 'ENOENT', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '')) return otherwise;
    throw error;
  }
}

/** With cgroup v1 any controller works: a pod's processes are in the same cgroup of each. */
function hierarchy(cgroup: string): string {
  const root = '/sys/fs/cgroup';
  return existsSync(join(root, 'cgroup.controllers')) ? join(root, cgroup) : join(root, 'pids', cgroup);
}

function processesBelow(group: string, isWanted: (group: string) => boolean): readonly number[] {
  const read = () => readFileSync(join(group, 'cgroup.procs'), 'utf8').trim().split('\n');
  const own = isWanted(group) ? unlessGone(read, []) : [];
  const below = unlessGone(() => readdirSync(group, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => processesBelow(join(group, name), isWanted));
  return [...own.filter((line) => line !== '').map(Number), ...below];
}
