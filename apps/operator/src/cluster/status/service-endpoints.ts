// SPDX-License-Identifier: Apache-2.0
import { clientServiceName } from '../../api/names.ts';
import type { MemberPod, Observation } from '../observation.ts';
import type { Assessment, MemberView } from '../plan/assessment.ts';

/** Voters that serve and that clients can reach by the Service, as counted by `status.readySize`. */
export function votersInEndpoints({ healthyVoters }: Assessment): readonly MemberView[] {
  return healthyVoters.filter(({ pod }) => pod !== undefined && isBehindService(pod));
}

/** Why a client of the Service cannot reach any voter; undefined if it can reach one (safety rule 18). */
export function whyServiceIsClosed(
  { services, cluster }: Observation,
  { voters, pods }: Assessment,
): string | undefined {
  const service = clientServiceName(cluster.name);
  if (services.client === 'missing') return `Service ${service} does not exist; it is being created.`;
  const names = new Set(voters.map(({ name }) => name));
  const own = [...pods.values()].filter(({ name }) => names.has(name));
  if (own.some(isBehindService)) return undefined;
  const waiting = own.map(({ name }) => `pod/${name}`).join(', ');
  return `Service ${service} has no endpoint: no pod of a voter is Ready.${waiting && ` Waiting for ${waiting}.`}`;
}

/** True if the pod is an endpoint of the Service, by the same rule as in the endpoint controller of Kubernetes. */
function isBehindService({ ready, terminating, isolated }: MemberPod): boolean {
  return ready && !terminating && !isolated;
}
