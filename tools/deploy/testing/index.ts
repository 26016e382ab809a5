// SPDX-License-Identifier: Apache-2.0
/** Compares the table of rights with calls that were recorded, and tells what network policies let through. */
export { type Endpoint, mayConnect, type NetworkPolicy } from './may-connect.ts';
export { idleVerbs, type RecordedCall, refusedCalls, unknownCalls } from './used-rights.ts';
