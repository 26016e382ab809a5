// SPDX-License-Identifier: Apache-2.0
import { bool, bytes, int64, repeated } from '../wire/field.ts';
import { type Decoded, embedded, message } from '../wire/message.ts';
import { responseHeader } from './kv-messages.ts';

/** Time to live in seconds; 0 as `id` lets the server choose one. */
export const leaseGrantRequest = message({ ttl: int64(1), id: int64(2) });
export const leaseGrantResponse = message({ header: embedded(1, responseHeader), id: int64(2), ttl: int64(3) });
export type LeaseGrantResponse = Decoded<typeof leaseGrantResponse>;

export const leaseIdRequest = message({ id: int64(1) });

export const leaseKeepAliveResponse = message({ header: embedded(1, responseHeader), id: int64(2), ttl: int64(3) });
export type LeaseKeepAliveResponse = Decoded<typeof leaseKeepAliveResponse>;

export const leaseTimeToLiveRequest = message({ id: int64(1), keys: bool(2) });
export const leaseTimeToLiveResponse = message({
  header: embedded(1, responseHeader),
  id: int64(2),
  ttl: int64(3),
  grantedTtl: int64(4),
  keys: repeated(bytes(5)),
});
export type LeaseTimeToLiveResponse = Decoded<typeof leaseTimeToLiveResponse>;
