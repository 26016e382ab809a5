// SPDX-License-Identifier: Apache-2.0

/** Where the lab itself is in its own network: the next hop of every pod and the source of probes. */
export const labAddress = '10.244.0.1';
/** `kubernetes.default.svc`. */
export const apiServerAddress = '10.96.0.1';
/** `kube-dns.kube-system.svc`. */
export const dnsAddress = '10.96.0.10';

/** Addresses of a node's pods: 10.244.<index>.2 to .254. */
const firstHost = 2;
const lastHost = 254;

/** The node's own address, outside all pod ranges. */
export function nodeAddress(index: number): string {
  return `10.244.0.${10 + index}`;
}

/** The range a node's pods get their addresses from (`spec.podCIDR`). */
export function podRange(index: number): string {
  return `10.244.${index + 1}.0/24`;
}

/**
 * Hands out the pod addresses of one node. A freed address is used again only after all others, as the usual network
 * plug-ins do: a stale connection does not find a stranger.
 */
export class AddressPool {
  readonly #prefix: string;
  readonly #taken = new Set<number>();
  #next = firstHost;

  constructor(nodeIndex: number) {
    this.#prefix = `10.244.${nodeIndex + 1}.`;
  }

  /** Undefined if the range is exhausted. */
  take(): string | undefined {
    for (let tried = firstHost; tried <= lastHost; tried++) {
      const host = this.#next;
      this.#next = host === lastHost ? firstHost : host + 1;
      if (this.#taken.has(host)) continue;
      this.#taken.add(host);
      return `${this.#prefix}${host}`;
    }
    return undefined;
  }

  /** Addresses of others and addresses that are free already are ignored. */
  give(address: string): void {
    if (address.startsWith(this.#prefix)) this.#taken.delete(Number(address.slice(this.#prefix.length)));
  }
}
