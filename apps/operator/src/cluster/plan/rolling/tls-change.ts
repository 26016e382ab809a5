// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';

/**
 * Why the spec's TLS cannot be applied to a running cluster. Members with TLS and members without cannot communicate, and etcd stores their
 * addresses with its data. So the cluster would lose its quorum, in whatever order the members restart. Undefined if all members were
 * created as the spec says.
 */
export function refuseTlsChange({ pods, volumes, desired }: Assessment): string | undefined {
  const made = [
    ...[...pods.values()].map(({ name, peerTLS, clientTLS }) => ({ name, peer: peerTLS, client: clientTLS })),
    ...[...volumes.values()].flatMap(({ name, tls }) => (tls ? [{ name, ...tls }] : [])),
  ];
  for (const { name, peer, client } of made) {
    for (const [what, has, wants] of [
      ['between members', peer, desired.peerTLS],
      ['for clients', client, desired.clientTLS],
    ] as const) {
      if (has === wants) continue;
      return (
        `spec.TLS turns TLS ${what} ${wants ? 'on' : 'off'}, but member ${name} was created ${has ? 'with' : 'without'} TLS, and ` +
        'members with and without TLS cannot connect. Change spec.TLS back, or restore a backup into a new cluster.'
      );
    }
  }
  return undefined;
}
