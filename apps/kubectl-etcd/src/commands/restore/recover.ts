// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, type EtcdRestore, etcdRestores, type Observation, scopeOf } from '@etcd-operator/operator';
import type { MemberClient } from '@operator-parts/etcd';
import { type Access, findCluster } from '../../access.ts';
import { CliError } from '../../cli-error.ts';
import type { Command } from '../../command-line.ts';
import { ObservedCluster } from '../../observed-cluster.ts';
import type { Report } from '../../render/print.ts';
import { recoveryReport } from '../../render/recovery.ts';
import { awaitOutcome, lastReport } from '../await-outcome.ts';
import { askSurvivors } from './ask-survivors.ts';

type RecoverCommand = Extract<Command, { kind: 'recover' }>;

/** Shows the source for recovering a cluster without quorum; with `--yes` it creates the EtcdRestore for it. */
export async function recover(access: Access, command: RecoverCommand): Promise<Report> {
  const cluster = await findCluster(access, command.cluster);
  using reading = await ObservedCluster.read(access, cluster);
  const { observation } = reading;
  const answers = await askSurvivors(clientsOf(reading), access.signal);
  const report = recoveryReport(observation, command.member, answers);
  if (!command.yes || report.failure !== undefined) return report;
  return await begin(access, cluster, observation, command);
}

function clientsOf(reading: ObservedCluster): ReadonlyMap<string, MemberClient> {
  const { answers } = reading.observation.etcd;
  const reachable = [...answers].flatMap(([name, { kind }]) => (kind === 'status' ? [name] : []));
  return new Map(
    reachable.flatMap((name) => {
      const member = reading.member(name);
      return member ? [[name, member] as const] : [];
    }),
  );
}

async function begin(
  access: Access,
  cluster: EtcdCluster,
  { cluster: { name, namespace } }: Observation,
  { member, wait, timeout }: RecoverCommand,
): Promise<Report> {
  const time = new Date(access.clock.now()).toISOString().slice(0, 19).replaceAll(/\D/g, '');
  const key = { namespace, name: `${name}-recovery-${time}` };
  const object: EtcdRestore = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { ...key, annotations: scopeOf(cluster) },
    spec: { etcdCluster: { name }, source: { survivor: { ...(member !== undefined && { member }) } } },
  };
  const restores = access.client.resource(etcdRestores.resource);
  const created = await restores.create(object, { signal: access.signal });
  // An older schema drops this source, and the restore operator would look for a backup.
  if (!created.spec.source?.survivor)
    throw new CliError(
      'Failed',
      'the CustomResourceDefinition of EtcdRestore in this Kubernetes cluster does not have source.survivor yet. Upgrade this CustomResourceDefinition first',
    );
  if (!wait)
    return done(
      created,
      `EtcdRestore ${key.name} is created. To see its progress: kubectl get etcdrestore ${key.name}`,
    );
  let ended = created;
  await awaitOutcome(access, `EtcdRestore ${key.name}`, timeout, async () => {
    ended = await restores.get(key, { signal: access.signal });
    const { succeeded = false, phase, reason = '', conditions } = ended.status ?? {};
    return { succeeded, failure: phase === 'Failed' ? reason : '', reported: lastReport(conditions) };
  });
  const { survivor, revision } = ended.status?.source ?? {};
  const warning = survivor?.warning ? ` Note: ${survivor.warning}.` : '';
  return done(
    ended,
    `EtcdCluster ${name} is recovered from member ${survivor?.member} at revision ${revision}.${warning}`,
  );
}

function done(data: EtcdRestore, line: string): Report {
  return { data, lines: () => [line] };
}
