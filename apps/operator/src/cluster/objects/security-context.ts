// SPDX-License-Identifier: Apache-2.0
import type { PodSecurityContext, SecurityContext } from '@operator-parts/kube';
import type { PodPolicy } from '../../api/etcd-cluster.ts';

/** The user and group of members, unless the spec sets others. */
const memberUser = 1000;

const seccompProfile = { type: 'RuntimeDefault' } as const;

/**
 * The settings that the *restricted* Pod Security Standard requires of a pod. If the spec has a security context, only the settings that it
 * lacks are added, but no user: volumes may hold files of the user that the image sets.
 */
export function podSecurity(
  { securityContext, containerSecurityContext }: Pick<PodPolicy, 'securityContext' | 'containerSecurityContext'>,
  ownsFilesAsRoot: boolean,
): PodSecurityContext {
  if (securityContext) {
    const isNobodyRoot = Boolean(securityContext.runAsUser) && containerSecurityContext?.runAsUser !== 0;
    return { ...(isNobodyRoot && { runAsNonRoot: true }), seccompProfile, ...securityContext };
  }
  if (ownsFilesAsRoot) return { seccompProfile };
  return { runAsNonRoot: true, runAsUser: memberUser, runAsGroup: memberUser, fsGroup: memberUser, seccompProfile };
}

export function containerSecurity(
  pod: Pick<PodPolicy, 'securityContext' | 'containerSecurityContext'>,
  ownsFilesAsRoot: boolean,
): SecurityContext {
  const { containerSecurityContext } = pod;
  if (containerSecurityContext) {
    const user = containerSecurityContext.runAsUser ?? podSecurity(pod, ownsFilesAsRoot).runAsUser;
    const { capabilities } = containerSecurityContext;
    return {
      ...(!mayEscalate(containerSecurityContext) && { allowPrivilegeEscalation: false }),
      ...(user && { capabilities: { drop: ['ALL'] } }),
      ...containerSecurityContext,
      // A user who adds one capability did not ask to keep the others.
      ...(user && capabilities && { capabilities: { drop: ['ALL'], ...capabilities } }),
    };
  }
  // Root without capabilities cannot read files of other users. With volumes of CoreOS etcd-operator, the container keeps the capabilities
  // that it had.
  if (ownsFilesAsRoot) return { allowPrivilegeEscalation: false };
  return { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true };
}

/** True if Kubernetes refuses `allowPrivilegeEscalation: false` for this context. */
function mayEscalate({ privileged, capabilities }: SecurityContext): boolean {
  return privileged === true || (capabilities?.add?.some((name) => /^(CAP_)?SYS_ADMIN$/.test(name)) ?? false);
}
