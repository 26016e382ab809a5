// SPDX-License-Identifier: Apache-2.0
/**
 * Proxies between an operator's process and the servers that it uses. They record the requests that change something, and can hold or drop
 * them.
 */
export { type ProxyTarget, RecordingProxy } from './recording-proxy.ts';
export { RecordingRelay } from './recording-relay.ts';
export type { Gate, RequestRecord } from './request-record.ts';
