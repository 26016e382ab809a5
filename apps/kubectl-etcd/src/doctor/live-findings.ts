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
      ? 'The operator has stopped and released its Lease.'
      : `The operator has not renewed its Lease for ${Math.min(...ages)} s.`;
  const todo =
    'Start the operator again: see runbook operator-down. Until then the members serve clients, but nothing is repaired.';
  return [{ urgency: 'now', object, namespace, what: 'No operator works', why, todo }];
}

/** The present state of etcd itself, through the API server. */
export function etcdFindings({ etcd, cluster }: Observation): readonly Finding[] {
  const about = { object: `etcdcluster/${cluster.name}`, namespace: cluster.namespace };
  const unreachable = [...etcd.answers].flatMap(([name, answer]) => (answer.kind === 'status' ? [] : [name]));
  if (etcd.membership.kind === 'unknown') {
    const todo = `See the state of the members: kubectl etcd members ${cluster.name}; kubectl etcd logs ${cluster.name}. Then follow runbook quorum-lost.`;
    return [{ ...about, urgency: 'now', what: 'etcd has no quorum now', why: etcd.membership.why, todo }];
  }
  return unreachable.map((name) => ({
    ...about,
    urgency: 'soon',
    what: `Member ${name} is not reachable now`,
    why: `Through the API server, ${etcd.answers.size - unreachable.length} of ${counted(etcd.answers.size, 'member')} can be reached.`,
    todo: `Read the log of the member: kubectl etcd logs --member ${name}`,
  }));
}
