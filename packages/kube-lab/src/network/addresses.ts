// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from 'node:net';

export type IpFamily = 'IPv4' | 'IPv6';
/**
 * The IP families of a lab. The first is the primary one: an object with only one address has an address of that
 * family.
 */
export type IpFamilies = readonly [IpFamily, ...IpFamily[]];
/** An address of each family, in the order of the families. */
export type Addresses = readonly [string, ...string[]];

/** The lab's own address in its network: the next hop of every pod and the source of probes. */
export const labAddress: Readonly<Record<IpFamily, string>> = { IPv4: '10.244.0.1', IPv6: 'fd00:10:244::1' };
/** The cluster IP of `kubernetes.default.svc`. */
export const apiServerAddress: Readonly<Record<IpFamily, string>> = { IPv4: '10.96.0.1', IPv6: 'fd00:10:96::1' };
/** The cluster IP of `kube-dns.kube-system.svc`. */
export const dnsAddress: Readonly<Record<IpFamily, string>> = { IPv4: '10.96.0.10', IPv6: 'fd00:10:96::a' };

/** The range of cluster IPs. */
export const serviceRange: Readonly<Record<IpFamily, string>> = { IPv4: '10.96.0.0/16', IPv6: 'fd00:10:96::/112' };

/** One value per family, in the order of the families. */
export function perFamily(families: IpFamilies, of: (family: IpFamily) => string): Addresses {
  const [first, ...rest] = families;
  return [of(first), ...rest.map(of)];
}

export function familyOf(address: string): IpFamily {
  return isIPv6(address.replace(/\/.*/, '')) ? 'IPv6' : 'IPv4';
}

/** The range that contains only one address. */
export function onlyAddress(address: string): string {
  return `${address}/${familyOf(address) === 'IPv6' ? 128 : 32}`;
}

/** An address as the host of a URL, or before a port. */
export function urlHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

/** The cluster IP at a distance from the beginning of `serviceRange`, at most 65535. */
export function serviceAddress(number: number, family: IpFamily): string {
  return family === 'IPv4' ? `10.96.${number >> 8}.${number & 255}` : `fd00:10:96::${number.toString(16)}`;
}

/** Bounds of the last part of a pod's address: 2 to 254 in `podRange`, for both families. */
const firstHost = 2;
const lastHost = 254;

/** The node's own address, outside all pod ranges. */
export function nodeAddress(index: number, family: IpFamily): string {
  const host = 10 + index;
  return family === 'IPv4' ? `10.244.0.${host}` : `fd00:10:244::${host.toString(16)}`;
}

/** The range a node's pods get their addresses from (`spec.podCIDR`). */
export function podRange(index: number, family: IpFamily): string {
  return `${podPrefix(index, family)}${family === 'IPv4' ? '0/24' : '/64'}`;
}

function podPrefix(index: number, family: IpFamily): string {
  return family === 'IPv4' ? `10.244.${index + 1}.` : `fd00:10:244:${(index + 1).toString(16)}::`;
}

/**
 * Allocates the pod addresses of one node. A freed address is reused only after all others, as the usual network
 * plug-ins do, so that a stale connection does not reach another pod.
 */
export class AddressPool {
  readonly #index: number;
  readonly #families: IpFamilies;
  readonly #taken = new Map<string, number>();
  #next = firstHost;

  constructor(nodeIndex: number, families: IpFamilies) {
    this.#index = nodeIndex;
    this.#families = families;
  }

  /** Undefined if the range is exhausted. */
  take(): Addresses | undefined {
    const hosts = new Set(this.#taken.values());
    for (let tried = firstHost; tried <= lastHost; tried++) {
      const host = this.#next;
      this.#next = host === lastHost ? firstHost : host + 1;
      if (hosts.has(host)) continue;
      const addresses = perFamily(
        this.#families,
        (family) => podPrefix(this.#index, family) + (family === 'IPv4' ? host : host.toString(16)),
      );
      this.#taken.set(addresses[0], host);
      return addresses;
    }
    return undefined;
  }

  /** Frees the addresses. Ignores addresses of other nodes and addresses that are free already. */
  give([first]: Addresses): void {
    this.#taken.delete(first);
  }
}
