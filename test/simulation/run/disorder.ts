// SPDX-License-Identifier: Apache-2.0

import { etcdBackups } from '@etcd-operator/operator';
import { labels } from '@etcd-operator/operator/testing/restore-pods';
import { persistentVolumeClaims, pods } from '@operator-parts/kube';
import { clusterKey } from './cluster-key.ts';
import { rottenMembers } from './maintenance.ts';
import type { Simulation } from './simulation.ts';
import { variableName } from './users.ts';

/** What is not as it would be if nothing had ever happened. */
export function disorder(simulation: Simulation): readonly string[] {
  const { world, size, script } = simulation;
  const problems: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) problems.push(`${what}: ${String(found)} instead of ${String(wanted)}`);
  };
  const cluster = simulation.cluster();
  const condition = (type: string) => cluster?.status?.conditions?.find((each) => each.type === type)?.status;
  const leader = simulation.leader();
  expect('Available', condition('Available'), 'True');
  expect('phase', cluster?.status?.phase, 'Running');
  expect('voters', leader?.state.voters().length ?? 0, size);
  expect('members', leader?.state.members.size ?? 0, size);
  const all = world.server.feed.list(pods);
  const proofs = all.filter(({ metadata }) => metadata?.labels?.[labels.proof] !== undefined);
  expect('pods', all.length - proofs.length, size);
  const members = all.filter(({ metadata }) => metadata?.labels?.[labels.proof] === undefined);
  const { label, variable } = simulation.podEdits;
  const labelled = members.filter(({ metadata }) => label === undefined || metadata?.labels?.['team'] === label);
  expect('pods with the label', labelled.length, members.length);
  const set = members.filter(({ spec }) =>
    spec?.containers[0]?.env?.some(({ name, value }) => name === variableName && value === variable),
  );
  // Without a volume a pod is replaced only if the spec asks for it.
  if (script.storage === 'claim')
    expect('pods with the variable', set.length, variable === undefined ? 0 : members.length);
  if (world.server.feed.list(etcdBackups.resource).length === 0) expect('pods of proofs', proofs.length, 0);
  expect('ready pods', world.simPods().filter(({ pod }) => pod.isReady).length, size);
  const inUse = world.server.feed
    .list(persistentVolumeClaims)
    .filter(({ metadata }) => metadata?.labels?.[labels.keptByRestore] === undefined);
  expect('PVCs', inUse.length, script.storage === 'claim' ? size : 0);
  const running = [...world.ether.members].filter(({ settings }) => settings.name.startsWith(`${clusterKey.name}-`));
  const runs = new Set(running.map(({ settings }) => settings.version));
  expect('versions', [...runs].join(), simulation.version);
  expect('version in status', cluster?.status?.currentVersion, simulation.version);
  expect('alarms', [...(leader?.state.alarms ?? [])].join(), '');
  expect('members with a value that nobody wrote', rottenMembers(simulation).length, 0);
  expect('downgrade to', leader?.state.downgradeTarget, undefined);
  expect('size in status', cluster?.status?.size, size);
  expect('observedGeneration', cluster?.status?.observedGeneration, cluster?.metadata?.generation);
  problems.push(...simulation.backups.disorder(), ...simulation.restores.disorder());
  return problems;
}
