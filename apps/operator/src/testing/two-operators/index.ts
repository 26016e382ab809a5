// SPDX-License-Identifier: Apache-2.0
/** Doors between an operator's process and the servers it speaks to: what it asks them to change is noted, held or lost there. */
export { type ProxyTarget, RecordingProxy } from './recording-proxy.ts';
export { RecordingRelay } from './recording-relay.ts';
export type { Gate, RequestRecord } from './request-record.ts';
