// SPDX-License-Identifier: Apache-2.0
import type { PodSecurityContext, SecurityContext } from '@etcd-operator/kube';
import type { PodPolicy } from '../../api/etcd-cluster.ts';

/** The user and group of members, unless the spec says otherwise. */
const memberUser = 1000;

/** What the *restricted* Pod Security Standard asks of a pod. A spec that gives one of its own is taken as it is. */
export function podSecurity(
  { securityContext }: Pick<PodPolicy, 'securityContext'>,
  ownsFilesAsRoot: boolean,
): PodSecurityContext {
  if (securityContext) return securityContext;
  const seccompProfile = { type: 'RuntimeDefault' } as const;
  if (ownsFilesAsRoot) return { seccompProfile };
  return { runAsNonRoot: true, runAsUser: memberUser, runAsGroup: memberUser, fsGroup: memberUser, seccompProfile };
}

export function containerSecurity(
  { containerSecurityContext }: Pick<PodPolicy, 'containerSecurityContext'>,
  ownsFilesAsRoot: boolean,
): SecurityContext {
  if (containerSecurityContext) return containerSecurityContext;
  // Root without capabilities cannot read files of other users; on old volumes it keeps what it had.
  if (ownsFilesAsRoot) return { allowPrivilegeEscalation: false };
  return { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true };
}
