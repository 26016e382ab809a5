// SPDX-License-Identifier: Apache-2.0
import { counted, type Observation } from '@etcd-operator/operator';
import type { RunningOperator } from '../running-operators.ts';
import { describeUnreached, servesUnreached, type UnreachedMember, unreachedMembers } from '../unreached.ts';
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
export function etcdFindings(observation: Observation): readonly Finding[] {
  const { etcd, cluster } = observation;
  const about = { object: `etcdcluster/${cluster.name}`, namespace: cluster.namespace };
  const unreached = unreachedMembers(observation);
  if (etcd.membership.kind === 'unknown') return [{ ...about, ...withoutQuorum(observation, unreached) }];
  return unreached.map(({ name, why }) => ({
    ...about,
    urgency: 'soon',
    what: `Member ${name} is not reachable from here`,
    why: `${counted(etcd.answers.size - unreached.length, 'member')} of ${etcd.answers.size} answer through the API server, and this member does not: ${why}.`,
    todo: `If its pod is Ready, the member serves, and only the connection from here fails: kubectl get pod ${name}. Otherwise read the container logs of the member: kubectl etcd logs --member ${name}`,
  }));
}

/** No member that answers can list the members. Those that are not reachable from here may have a quorum. */
function withoutQuorum(
  observation: Observation,
  unreached: readonly UnreachedMember[],
): Omit<Finding, 'object' | 'namespace'> {
  const { etcd, cluster } = observation;
  const why = etcd.membership.kind === 'unknown' ? etcd.membership.why : '';
  const look = `See the state of the members: kubectl etcd members ${cluster.name}; kubectl etcd logs ${cluster.name}.`;
  if (unreached.length === 0)
    return { urgency: 'now', what: 'etcd has no quorum now', why, todo: `${look} Then follow runbook quorum-lost.` };
  const who = `Not reachable from here: ${describeUnreached(unreached)}.`;
  if (servesUnreached(observation))
    return {
      urgency: 'soon',
      what: 'etcd is not reachable from here',
      why: `Kubernetes reports a quorum of pods Ready, so clients can probably use the cluster. ${who}`,
      todo: 'Check your permission for pods/portforward, and the network between the API server and these pods. Do not restore a backup.',
    };
  return {
    urgency: 'now',
    what: 'No quorum is reachable from here',
    why: `${why}. ${who}`,
    todo: `${look} A member that is not reachable is not lost: see the states of its pod and its node first. Then follow runbook quorum-lost.`,
  };
}
