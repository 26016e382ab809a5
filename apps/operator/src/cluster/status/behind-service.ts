// SPDX-License-Identifier: Apache-2.0
import { clientServiceName } from '../../api/names.ts';
import type { MemberPod, Observation } from '../observation.ts';
import type { Assessment, MemberView } from '../plan/assessment.ts';

/** Voters that clients of the Service reach and that serve them. What `status.readySize` counts. */
export function votersBehindService({ healthyVoters }: Assessment): readonly MemberView[] {
  return healthyVoters.filter(({ pod }) => pod !== undefined && isBehindService(pod));
}

/** Why a client that uses the Service reaches no voter; undefined if it reaches one (safety rule 18). */
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

/** As the endpoint controller of Kubernetes decides it. */
function isBehindService({ ready, terminating, isolated }: MemberPod): boolean {
  return ready && !terminating && !isolated;
}
