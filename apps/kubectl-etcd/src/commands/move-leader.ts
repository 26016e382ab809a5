// SPDX-License-Identifier: Apache-2.0

import { type Assessment, planCluster } from '@etcd-operator/operator';
import { isEtcdError, parseId } from '@operator-parts/etcd';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import { ObservedCluster } from '../observed-cluster.ts';
import type { Report } from '../render/print.ts';

/** Asks the leader to transfer leadership to a healthy voter, and prints the new leader. */
export async function moveLeader(
  access: Access,
  { cluster: name, to }: { readonly cluster: string | undefined; readonly to: string | undefined },
): Promise<Report> {
  using reading = await ObservedCluster.read(access, await findCluster(access, name));
  const { assessment } = planCluster(reading.observation, access.clock.monotonic());
  const leader = assessment?.leader;
  if (!assessment || !leader)
    throw new CliError('Unreachable', 'leadership cannot be moved, because the cluster has no known leader');
  const successor = successorOf(assessment, to);
  if (successor.name === leader.name) return report(`${successor.name} leads already.`, successor.name, successor.name);
  const id = parseId(successor.member.id);
  const client = reading.member(leader.name);
  if (id === undefined || !client) throw new CliError('Unreachable', `the leader ${leader.name} cannot be reached`);
  try {
    await client.maintenance.moveLeader(id, { signal: access.signal });
  } catch (error) {
    if (!isEtcdError(error)) throw error;
    throw new CliError('Failed', `etcd did not move leadership to ${successor.name}: ${error.message}`, {
      cause: error,
    });
  }
  return report(`Leadership moved from ${leader.name} to ${successor.name}.`, leader.name, successor.name);
}

function successorOf({ healthyVoters, leader }: Assessment, to: string | undefined) {
  const names = healthyVoters.map((view) => view.name).join(', ');
  if (to !== undefined) {
    const found = healthyVoters.find((view) => view.name === to || view.member.id === to);
    if (found) return found;
    throw new CliError('NotFound', `${to} is not a healthy voter of this cluster; healthy voters: ${names}`);
  }
  const index = ({ answer }: Assessment['voters'][number]) => (answer?.kind === 'status' ? answer.raftAppliedIndex : 0);
  const [best] = healthyVoters.filter((view) => view !== leader).sort((a, b) => index(b) - index(a));
  if (best) return best;
  throw new CliError('Failed', `no other healthy voter can become leader; healthy voters: ${names || 'none'}`);
}

function report(line: string, from: string, to: string): Report {
  return { data: { from, to }, lines: () => [line] };
}
