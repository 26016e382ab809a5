// SPDX-License-Identifier: Apache-2.0
/** Compares the table of rights with recorded calls, and evaluates network policies. */
export { type Endpoint, mayConnect, type NetworkPolicy } from './may-connect.ts';
export { idleVerbs, type RecordedCall, refusedCalls, unknownCalls } from './used-rights.ts';
