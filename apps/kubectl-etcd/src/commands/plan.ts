// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, etcdClusters, type Observation } from '@etcd-operator/operator';
import { isKubeError } from '@operator-parts/kube';
import { type Access, findCluster } from '../access.ts';
import { clusterInFile } from '../changed-file.ts';
import { CliError } from '../cli-error.ts';
import { ObservedCluster } from '../observed-cluster.ts';
import { newClusterObservation } from '../plan/new-cluster-observation.ts';
import { simulatePlan } from '../plan/simulate-plan.ts';
import { specChanges } from '../plan/spec-changes.ts';
import { keepsQuorum, planReport } from '../render/plan.ts';
import type { Report } from '../render/print.ts';
import { unreachedMembers } from '../unreached.ts';

/** Prints a plan, and whether it can be carried out without losing quorum. */
export interface PlanOutcome {
  readonly report: Report;
  readonly isGood: boolean;
}

/** @param read reads the file */
export async function plan(
  access: Access,
  { cluster: name, file }: { readonly cluster: string | undefined; readonly file: string | undefined },
  read: (file: string) => Promise<string>,
): Promise<PlanOutcome> {
  if (file === undefined) return outcome(access, await findCluster(access, name), undefined, undefined);
  const wanted = clusterInFile(file, await read(file));
  const wantedName = wanted.metadata?.name ?? '';
  if (name !== undefined && name !== wantedName)
    throw new CliError(
      'BadFile',
      `${file} contains EtcdCluster ${wantedName}, but the command names EtcdCluster ${name}`,
    );
  const there = inNamespaceOf(wanted, access);
  const current = await findCluster(there, wantedName).catch((error: unknown) => {
    if (error instanceof CliError && error.code === 'NotFound') return undefined;
    throw error;
  });
  const changed = await accepted(there, current, wanted, file);
  return outcome(there, current, changed, file);
}

function inNamespaceOf({ metadata }: EtcdCluster, access: Access): Access {
  return { ...access, namespace: metadata?.namespace ?? access.namespace };
}

/** A dry run: the API server says whether it accepts the change, and returns the result; nothing is written. */
async function accepted(
  { client, namespace, signal }: Access,
  current: EtcdCluster | undefined,
  wanted: EtcdCluster,
  file: string,
): Promise<EtcdCluster> {
  const clusters = client.resource(etcdClusters.resource);
  try {
    if (current) return await clusters.replace({ ...current, spec: wanted.spec }, { dryRun: true, signal });
    const metadata = { ...wanted.metadata, namespace };
    return await clusters.create({ ...wanted, metadata }, { dryRun: true, signal });
  } catch (error) {
    if (!isKubeError(error, 'Invalid', 'BadRequest', 'Forbidden')) throw error;
    throw new CliError('BadFile', `the API server would reject ${file}: ${error.message}`, { cause: error });
  }
}

async function outcome(
  access: Access,
  current: EtcdCluster | undefined,
  changed: EtcdCluster | undefined,
  file: string | undefined,
): Promise<PlanOutcome> {
  const subject = changed ?? current;
  if (!subject) throw new CliError('NotFound', 'there is no EtcdCluster to plan for');
  const observation = current ? await observed(access, current, changed) : newClusterObservation(subject);
  const simulation = simulatePlan(observation, access.clock.now());
  const report = planReport({
    cluster: { name: subject.metadata?.name ?? '', namespace: access.namespace },
    file,
    isNew: current === undefined,
    changes: current && changed ? specChanges(current.spec, changed.spec) : [],
    simulation,
    unreached: unreachedMembers(observation),
  });
  return { report, isGood: keepsQuorum(simulation) && simulation.end.kind === 'settled' };
}

async function observed(access: Access, current: EtcdCluster, changed: EtcdCluster | undefined): Promise<Observation> {
  using reading = await ObservedCluster.read(access, current, changed);
  return reading.observation;
}
