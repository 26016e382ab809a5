// SPDX-License-Identifier: Apache-2.0

/** The ports on which every member listens. */
export const clientPort = 2379;
export const peerPort = 2380;

/** The location of a member: its pod in a namespace, below the peer Service with the name of the cluster. */
export interface MemberPlace {
  readonly member: string;
  readonly cluster: string;
  readonly namespace: string;
  /** `.cluster.local`, with its leading dot; empty if members are addressed without it. */
  readonly clusterDomain: string;
}

/** Every name and URL of one member. */
export interface MemberAddress {
  /** `<pod>.<cluster>.<namespace>.svc<domain>`. */
  readonly host: string;
  readonly clientUrl: string;
  readonly peerUrl: string;
}

/** A name, or why there is none. */
export type MemberNameResult =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly reason: string };

/**
 * The name of a member from its peer URL: the first label of the host. Also works for members that have never started
 * and have no name in the member list yet. Expects an `http` or `https` URL with a host and an optional numeric port.
 */
export function memberNameFromPeerUrl(peerUrl: string): MemberNameResult {
  const match = /^https?:\/\/([^/:?#@\s]+)(?::(\d{1,5}))?\/?$/.exec(peerUrl);
  const name = match?.[1]?.split('.')[0];
  if (!name) {
    return { ok: false, reason: `${JSON.stringify(peerUrl)} is not a peer URL; expected http(s)://host:port` };
  }
  return { ok: true, name };
}

/** The address and URLs of a member; `secure` says per listener whether it speaks TLS. */
export function memberAddress(
  place: MemberPlace,
  secure: { readonly client: boolean; readonly peer: boolean },
): MemberAddress {
  const host = `${place.member}.${place.cluster}.${place.namespace}.svc${place.clusterDomain}`;
  return {
    host,
    clientUrl: `${secure.client ? 'https' : 'http'}://${host}:${clientPort}`,
    peerUrl: `${secure.peer ? 'https' : 'http'}://${host}:${peerPort}`,
  };
}

/** The value of `--initial-cluster`: every member by name and peer URL, in the order given. */
export function initialCluster(members: readonly { readonly name: string; readonly peerUrl: string }[]): string {
  return members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
}
