// SPDX-License-Identifier: Apache-2.0
import { EtcdError } from '../etcd-error.ts';
import type { Invoker, RequestOptions } from '../invoker.ts';
import { type HeaderResponse, headerResponse } from '../messages/kv-messages.ts';
import {
  type LeaseGrantResponse,
  type LeaseKeepAliveResponse,
  type LeaseTimeToLiveResponse,
  leaseGrantRequest,
  leaseGrantResponse,
  leaseIdRequest,
  leaseKeepAliveResponse,
  leaseTimeToLiveRequest,
  leaseTimeToLiveResponse,
} from '../messages/lease-messages.ts';

const grantMethod = {
  name: 'Lease/LeaseGrant',
  request: leaseGrantRequest,
  response: leaseGrantResponse,
  mutating: true,
};
const revokeMethod = { name: 'Lease/LeaseRevoke', request: leaseIdRequest, response: headerResponse, mutating: true };
const keepAliveMethod = {
  name: 'Lease/LeaseKeepAlive',
  request: leaseIdRequest,
  response: leaseKeepAliveResponse,
  mutating: true,
};
const timeToLiveMethod = {
  name: 'Lease/LeaseTimeToLive',
  request: leaseTimeToLiveRequest,
  response: leaseTimeToLiveResponse,
  mutating: false,
};

/** Leases. When a lease expires, etcd deletes its keys; renewing the lease prevents that. */
export class Leases {
  readonly #invoker: Invoker;

  constructor(invoker: Invoker) {
    this.#invoker = invoker;
  }

  /** A new lease. The server may grant a longer TTL than requested. */
  grant(ttlSeconds: number, options?: RequestOptions): Promise<LeaseGrantResponse> {
    return this.#invoker.call(grantMethod, { ttl: BigInt(ttlSeconds) }, options);
  }

  /** Ends a lease; its keys are deleted. */
  revoke(id: bigint, options?: RequestOptions): Promise<HeaderResponse> {
    return this.#invoker.call(revokeMethod, { id }, options);
  }

  /** Renews a lease once. `LeaseNotFound` if it has expired. */
  async keepAliveOnce(id: bigint, options?: RequestOptions): Promise<LeaseKeepAliveResponse> {
    const call = this.#invoker.kindOf(keepAliveMethod);
    for await (const answer of this.#invoker.stream(keepAliveMethod, { id }, options)) {
      if (answer.ttl > 0n) return answer;
      throw new EtcdError('LeaseNotFound', `lease ${id.toString(16)} has expired or never existed`, { call });
    }
    throw new EtcdError('BadResponse', 'the member sent an empty response', { call, outcomeUnknown: true });
  }

  /** The remaining TTL of a lease; -1 if it has expired. With `keys` also its keys. */
  timeToLive(id: bigint, options?: RequestOptions & { readonly keys?: boolean }): Promise<LeaseTimeToLiveResponse> {
    return this.#invoker.call(timeToLiveMethod, { id, keys: options?.keys }, options);
  }
}
