// SPDX-License-Identifier: Apache-2.0
import { counted, type Observation } from '@etcd-operator/operator';
import type { RunningOperator } from '../running-operators.ts';
import type { Finding } from './finding.ts';

/** No operator manages the namespace: the status is outdated, and nothing is repaired. */
export function operatorFindings(
  operators: readonly RunningOperator[],
  namespace: string,
  object: string,
): readonly Finding[] {
  const responsible = operators.filter(
    ({ program, manages }) =>
      program === 'etcd-operator' && (manages === 'all namespaces' || manages === `namespace ${namespace}`),
  );
  // If a user may not read Leases, it is unknown whether there is one.
  if (responsible.length === 0 || responsible.some(({ isAlive }) => isAlive)) return [];
  const ages = responsible.flatMap(({ renewed }) => (renewed === undefined ? [] : [Math.round(renewed)]));
  const why =
    ages.length === 0
      ? 'The Lease of the operator was released.'
      : `The Lease of the operator was last renewed ${Math.min(...ages)} s ago.`;
  const todo =
    'Start the operator again: see runbook operator-down. Until then members serve clients, but nothing is repaired.';
  return [{ urgency: 'now', object, namespace, what: 'No operator works', why, todo }];
}

/** The present state of etcd itself, through the API server. */
export function etcdFindings({ etcd, cluster }: Observation): readonly Finding[] {
  const about = { object: `etcdcluster/${cluster.name}`, namespace: cluster.namespace };
  const unreachable = [...etcd.answers].flatMap(([name, answer]) => (answer.kind === 'status' ? [] : [name]));
  if (etcd.membership.kind === 'unknown') {
    const todo = `See what members say: kubectl etcd members ${cluster.name}; kubectl etcd logs ${cluster.name}. Runbook: quorum-lost.`;
    return [{ ...about, urgency: 'now', what: 'etcd has no quorum now', why: etcd.membership.why, todo }];
  }
  return unreachable.map((name) => ({
    ...about,
    urgency: 'soon',
    what: `Member ${name} does not answer now`,
    why: `${counted(etcd.answers.size - unreachable.length, 'member')} of ${etcd.answers.size} answer through the API server.`,
    todo: `Read its log: kubectl etcd logs --member ${name}`,
  }));
}
