// SPDX-License-Identifier: Apache-2.0

/** A request that changes something, as it arrived before a server. */
export interface RequestRecord {
  readonly to: 'kubernetes' | 'etcd' | 'store' | 'agent';
  /** Whose door it came through. */
  readonly who: string;
  /** What it was: `PUT /path`, `Cluster/MemberAdd`. */
  readonly what: string;
  /** When all of it had arrived, in milliseconds since the epoch. */
  readonly at: number;
  /** The server's answer, where it is known: 0 until then. */
  status: number;
}

/**
 * Decides what becomes of a request that changes something. `send` passes it on and resolves with the answer of the server; what the
 * gate resolves with is what the operator gets. Undefined: the operator's connection breaks without an answer.
 */
export type Gate = <T>(record: RequestRecord, send: () => Promise<T>) => Promise<T | undefined>;

/** Lets everything through. */
export const openGate: Gate = (_record, send) => send();
