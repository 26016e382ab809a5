// SPDX-License-Identifier: Apache-2.0
import { persistentVolumeClaims, pods } from '@etcd-operator/kube';
import { etcdClusters } from '@etcd-operator/operator';
import { clusterKey } from './cluster-key.ts';
import type { Simulation } from './simulation.ts';

/** What is not as it would be if nothing had ever happened. */
export function disorder(simulation: Simulation): readonly string[] {
  const { world, size, script } = simulation;
  const problems: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) problems.push(`${what}: ${String(found)} instead of ${String(wanted)}`);
  };
  const cluster = world.server.feed
    .list(etcdClusters.resource)
    .find(({ metadata }) => metadata?.name === clusterKey.name);
  const condition = (type: string) => cluster?.status?.conditions?.find((each) => each.type === type)?.status;
  const leader = simulation.leader();
  expect('Available', condition('Available'), 'True');
  expect('phase', cluster?.status?.phase, 'Running');
  expect('voters', leader?.state.voters().length ?? 0, size);
  expect('members', leader?.state.members.size ?? 0, size);
  expect('pods', world.server.feed.list(pods).length, size);
  expect('ready pods', [...world.simPods()].filter(({ pod }) => pod.isReady).length, size);
  expect('PVCs', world.server.feed.list(persistentVolumeClaims).length, script.storage === 'claim' ? size : 0);
  const runs = new Set([...world.ether.members].map(({ settings }) => settings.version));
  expect('versions', [...runs].join(), simulation.version);
  expect('version in status', cluster?.status?.currentVersion, simulation.version);
  expect('downgrade to', leader?.state.downgradeTarget, undefined);
  expect('size in status', cluster?.status?.size, size);
  expect('observedGeneration', cluster?.status?.observedGeneration, cluster?.metadata?.generation);
  problems.push(...simulation.backups.disorder());
  return problems;
}
