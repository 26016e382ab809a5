// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../desired.ts';
import type { MemberPod } from '../observation.ts';

/**
 * Why the spec's TLS cannot be applied to a living cluster: members that speak TLS and members that do not cannot talk to
 * each other, so that no order of restarts keeps a quorum. Undefined if all pods speak as the spec says.
 */
export function refuseTlsChange(pods: Iterable<MemberPod>, desired: Desired): string | undefined {
  for (const pod of pods) {
    for (const [what, has, wants] of [
      ['between members', pod.peerTLS, desired.peerTLS],
      ['for clients', pod.clientTLS, desired.clientTLS],
    ] as const) {
      if (has === wants) continue;
      return (
        `spec.TLS turns TLS ${what} ${wants ? 'on' : 'off'}, but ${pod.name} runs ${has ? 'with' : 'without'} it: ` +
        'members of both kinds cannot talk to each other; put spec.TLS back, or restore a backup into a new cluster'
      );
    }
  }
  return undefined;
}
