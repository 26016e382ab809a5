// SPDX-License-Identifier: Apache-2.0
/** Compares the table of rights with calls that were recorded, tells what network policies let through, and what alerts ask for. */
export { metricNames } from '../monitoring/testing/metric-names.ts';
export { type Endpoint, mayConnect, type NetworkPolicy } from './may-connect.ts';
export { idleVerbs, type RecordedCall, refusedCalls, unknownCalls } from './used-rights.ts';
