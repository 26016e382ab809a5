// SPDX-License-Identifier: Apache-2.0
import { addressSet, fitsHost, isNetwork } from '@etcd-operator/blob';

/** A host or network that an administrator lets `spec.etcdEndpoints` of every namespace lead to. */
export interface EndpointGrant {
  /** A pattern of hosts (`*.example.com`, `etcd.example.com:2379`), an address, or a network (`10.0.0.0/8`). */
  readonly pattern: string;
  /** May a password go there without TLS? */
  readonly allowsPlainLogin: boolean;
}

/** Reads one entry of `-allow-etcd-endpoints`: a pattern or a network, with `http://` before it if passwords may go there without TLS. */
export function parseGrant(text: string): EndpointGrant | undefined {
  const allowsPlainLogin = text.startsWith('http://');
  const pattern = (allowsPlainLogin ? text.slice('http://'.length) : text).toLowerCase();
  const isPattern = /^([a-z0-9*._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(pattern) || isNetwork(pattern);
  // `10.*` is meant for addresses, and fits the name 10.example.com: networks say it without that.
  const isHalfAddress = /^[\d.]+\*/.test(pattern);
  return isPattern && !isHalfAddress ? { pattern, allowsPlainLogin } : undefined;
}

/** Does it cover this host as it is named, or this address that its name led to? */
export function covers({ pattern }: EndpointGrant, host: string, port: number, address: string): boolean {
  return isNetwork(pattern) ? addressSet([pattern])(address) : fitsHost(pattern, host, String(port));
}
