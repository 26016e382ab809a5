// SPDX-License-Identifier: Apache-2.0
import type { PresignedRead } from '@operator-parts/blob';
import { type AgentAddress, AgentConnection } from './agent-connection.ts';
import type { Measured } from './measure.ts';

export interface Delivery<Verdict> {
  readonly agent: AgentAddress;
  /** Undefined if the size is known only at the end; the judge must then be able to check it. */
  readonly bytes: number | undefined;
  /** Signs a URL with which the agent reads the data itself; undefined if there is none. @default undefined: the operator sends the data */
  readonly presign?: (() => Promise<PresignedRead | undefined>) | undefined;
  /** The data that the operator sends if the agent cannot read it itself. A piece may be overwritten once the next piece is requested. */
  readonly body: () => AsyncIterable<Uint8Array>;
  /** Checks whether the received data is the expected data. If it throws, the new member keeps none of it. */
  readonly judge: (measured: Measured) => Verdict | Promise<Verdict>;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

/**
 * Sends a snapshot to the agent in a new member's pod. Resolves once the agent has received the whole snapshot, `judge` has accepted it,
 * and the agent keeps it. Rejects with a `RestoreError`, or with the error of the body or the judge.
 */
export async function deliver<Verdict>(delivery: Delivery<Verdict>): Promise<Verdict> {
  const { agent, judge, signal } = delivery;
  const agentConnection = await AgentConnection.connect(agent, signal);
  try {
    const measured = await bring(agentConnection, delivery);
    const verdict = await judge(measured);
    await agentConnection.keep({ sha256: measured.sha256 });
    return verdict;
  } finally {
    agentConnection.close();
  }
}

/** Transfers the data. If possible, the agent reads from the store itself, because the way through the operator takes longer. */
async function bring(
  agentConnection: AgentConnection,
  { bytes, presign, body, onProgress }: Delivery<unknown>,
): Promise<Measured> {
  // If signing a URL fails, the operator may still be able to read from the store.
  const presigned = await presign?.().catch(() => undefined);
  const fetched =
    presigned && bytes !== undefined && (await agentConnection.fetch({ ...presigned, bytes }, onProgress));
  return fetched || (await agentConnection.send(bytes, body(), onProgress));
}
