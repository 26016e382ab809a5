// SPDX-License-Identifier: Apache-2.0
import type { LentRead } from '@etcd-operator/blob';
import { type AgentAddress, Courier } from './courier.ts';
import type { Measured } from './measure.ts';

export interface Delivery<Verdict> {
  readonly agent: AgentAddress;
  /** Undefined if that is known at the end alone, which whoever judges it must be able to tell. */
  readonly bytes: number | undefined;
  /** A read that the agent does by itself; undefined if there is none. @default the operator sends it */
  readonly lend?: (() => Promise<LentRead | undefined>) | undefined;
  /** What the operator sends where the agent cannot read by itself. A piece of it may be overwritten once the next one is asked for. */
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
  const { agent, judge, signal } = delivery;
  const courier = await Courier.connect(agent, signal);
  try {
    const measured = await bring(courier, delivery);
    const verdict = await judge(measured);
    await courier.keep({ sha256: measured.sha256 });
    return verdict;
  } finally {
    courier.close();
  }
}

/** An agent that reads the store itself takes as long as a download; through the operator it takes longer. */
async function bring(courier: Courier, { bytes, lend, body, onProgress }: Delivery<unknown>): Promise<Measured> {
  // A store that cannot lend may still be read.
  const lent = await lend?.().catch(() => undefined);
  const fetched = lent && bytes !== undefined && (await courier.fetch({ ...lent, bytes }, onProgress));
  return fetched || (await courier.send(bytes, body(), onProgress));
}
