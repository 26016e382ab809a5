// SPDX-License-Identifier: Apache-2.0
import { memberNameFromPeerUrl } from '@operator-parts/etcd';
import type { Assessment, MemberView } from '../assessment.ts';
import { type Proposal, take } from '../proposal.ts';

/**
 * Resets a changed peer URL of a member, because with the changed URL the other members do not find its pod. Members of CoreOS
 * etcd-operator may have peer URLs of another form and keep them.
 */
export function restoreAddress({ own }: Assessment): Proposal | undefined {
  const moved = own.find(
    (view) =>
      !view.member.isLearner &&
      view.health.kind === 'healthy' &&
      view.pod &&
      !view.pod.adopted &&
      isElsewhere(view.member.peerURLs, view),
  );
  return (
    moved &&
    take(
      { do: 'readdress', memberId: moved.member.id, name: moved.name },
      `Resetting the peer URL of member ${moved.name}: it was changed to ${moved.member.peerURLs.join(', ').slice(0, 200)}, which is not the address of the member.`,
    )
  );
}

/** True if no peer URL of the member is the address of its pod. Peer URLs in addition to this address are not changed. */
function isElsewhere(peerURLs: readonly string[], { name }: MemberView): boolean {
  const names = peerURLs.map((url) => memberNameFromPeerUrl(url));
  return names.length > 0 && !names.some((found) => found.ok && found.name === name);
}
