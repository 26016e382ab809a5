// SPDX-License-Identifier: Apache-2.0
import type { LentRead } from '@etcd-operator/blob';
import { type AgentAddress, Courier } from './agent-connection.ts';
import type { Measured } from './measure.ts';

export interface Delivery<Verdict> {
  readonly agent: AgentAddress;
  /** Undefined if the size is known only at the end; the judge must then be able to check it. */
  readonly bytes: number | undefined;
  /** A read that the agent does itself; undefined if there is none. @default the operator sends the data */
  readonly lend?: (() => Promise<LentRead | undefined>) | undefined;
  /** The data that the operator sends if the agent cannot read it itself. A piece may be overwritten once the next one is asked for. */
  readonly body: () => AsyncIterable<Uint8Array>;
  /** Checks whether the received data is the expected data. If it throws, the new member keeps none of it. */
  readonly judge: (measured: Measured) => Verdict | Promise<Verdict>;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

/**
 * Sends a snapshot to the agent in a new member's pod. Resolves once the agent has all of it, it has been judged, and the agent keeps it.
 * Rejects with a `RestoreError`, or with the error of the body or the judge.
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

/** An agent that reads from the store itself needs only the time of a download; through the operator it takes longer. */
async function bring(courier: Courier, { bytes, lend, body, onProgress }: Delivery<unknown>): Promise<Measured> {
  // The operator may still be able to read from a store that cannot sign a URL for the agent.
  const lent = await lend?.().catch(() => undefined);
  const fetched = lent && bytes !== undefined && (await courier.fetch({ ...lent, bytes }, onProgress));
  return fetched || (await courier.send(bytes, body(), onProgress));
}
