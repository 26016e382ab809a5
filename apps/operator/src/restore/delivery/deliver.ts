// SPDX-License-Identifier: Apache-2.0
import { type AgentAddress, Courier } from './courier.ts';
import type { Measured } from './measure.ts';

export interface Delivery<Verdict> {
  readonly agent: AgentAddress;
  readonly bytes: number;
  /** A piece of it may be overwritten once the next one is asked for. */
  readonly body: () => AsyncIterable<Uint8Array>;
  /** Is what came what should come? If it throws, the new member keeps nothing of it. */
  readonly judge: (measured: Measured) => Verdict | Promise<Verdict>;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

/**
 * Brings a snapshot to the agent in a new member's pod; resolves once the agent has all of it, it has been judged, and the
 * agent keeps it. Rejects with a `RestoreError`, or with what the body or the judge throws.
 */
export async function deliver<Verdict>(delivery: Delivery<Verdict>): Promise<Verdict> {
  const { agent, bytes, body, judge, signal, onProgress } = delivery;
  const courier = await Courier.connect(agent, signal);
  try {
    const measured = await courier.send(bytes, body(), onProgress);
    const verdict = await judge(measured);
    await courier.keep({ sha256: measured.sha256 });
    return verdict;
  } finally {
    courier.close();
  }
}
