// SPDX-License-Identifier: Apache-2.0
import { addressSet, fitsHost, isNetwork } from '@operator-parts/blob';

/** A host or network that an administrator allows in `spec.etcdEndpoints` of every namespace. */
export interface EndpointGrant {
  /** A pattern of host names (`*.example.com`, `etcd.example.com:2379`), an address, or a network (`10.0.0.0/8`). */
  readonly pattern: string;
  /** True if a password may be sent to this host or network without TLS. */
  readonly allowsPlainLogin: boolean;
}

/** Parses one entry of `-allow-etcd-endpoints`: a pattern or a network. The prefix `http://` allows passwords without TLS. */
export function parseGrant(text: string): EndpointGrant | undefined {
  const allowsPlainLogin = text.startsWith('http://');
  const pattern = (allowsPlainLogin ? text.slice('http://'.length) : text).toLowerCase();
  const isPattern = /^([a-z0-9*._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(pattern) || isNetwork(pattern);
  // `10.*` looks like a range of addresses, but it also matches the name 10.example.com. A network (CIDR) has to be used instead.
  const isHalfAddress = /^[\d.]+\*/.test(pattern);
  return isPattern && !isHalfAddress ? { pattern, allowsPlainLogin } : undefined;
}

/** True if the grant covers this host name, or this address that the name resolved to. */
export function covers({ pattern }: EndpointGrant, host: string, port: number, address: string): boolean {
  return isNetwork(pattern) ? addressSet([pattern])(address) : fitsHost(pattern, host, String(port));
}
