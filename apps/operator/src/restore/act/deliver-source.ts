// SPDX-License-Identifier: Apache-2.0
import type { AgentAddress } from '../delivery/agent-connection.ts';
import { deliver } from '../delivery/deliver.ts';
import type { Measured } from '../delivery/measure.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import { finishSourceRead, inspectStored, readDatabaseFacts, type Source } from '../source/inspected-source.ts';

export interface SourceDelivery {
  /** The source as it was recorded. */
  readonly source: SourceFacts;
  readonly agent: AgentAddress;
  /** The bytes that were kept when the source was verified; undefined if they were not kept. */
  readonly kept: AsyncIterable<Uint8Array> | undefined;
  readonly acceptWithoutHash: boolean;
}

/** How long the agent may take to begin its read. A read that has begun may take longer. */
const presignSeconds = 300;

type Judge = (measured: Measured) => SourceFacts | Promise<SourceFacts>;

/**
 * Sends the source to the new member, and returns the facts about the source. What the new member receives must equal what was verified,
 * byte for byte. If the source was not read before, it is judged now by the same rules, from what the new member measures.
 */
export async function deliverSource(
  opened: Source,
  delivery: SourceDelivery,
  { signal, onProgress }: JobContext,
): Promise<SourceFacts> {
  const { source, agent, kept } = delivery;
  const { store, place } = opened;
  const judge = source.verified === 'Pending' ? await onTheWay(opened, delivery, signal) : asVerified(source);
  return deliver({
    agent,
    bytes: source.bytes,
    // A source that was kept is not fetched a second time.
    presign: kept ? undefined : () => store.presign(place.key, { expiresIn: presignSeconds, signal }),
    body: () => kept ?? store.get(place.key, undefined, { signal }),
    judge,
    signal,
    onProgress,
  });
}

export function asVerified(source: SourceFacts): Judge {
  return ({ bytes, sha256 }) => {
    if (bytes === source.bytes && sha256 === source.sha256) return source;
    throw new RestoreError('SourceRefused', 'the backup changed after it was verified: its size or SHA-256 differs');
  };
}

/**
 * Judges a source that was not read before. The source is inspected before its first byte is sent. The facts in its database are read
 * during the transfer.
 */
async function onTheWay(
  opened: Source,
  { source, acceptWithoutHash }: SourceDelivery,
  signal: AbortSignal,
): Promise<Judge> {
  const inspected = await inspectStored(opened, signal);
  if (inspected.info.bytes !== source.bytes)
    throw new RestoreError(
      'SourceReplaced',
      `the backup ${source.path} was replaced in the backup store while the restore was reading it`,
    );
  const reading = readDatabaseFacts(opened, signal);
  // The error is thrown when the result is awaited.
  reading.catch(() => undefined);
  return (measured) =>
    finishSourceRead(opened, { inspected, measured, facts: () => reading, acceptWithoutHash }, signal);
}
