// SPDX-License-Identifier: Apache-2.0
import type { OpenedStorage } from '../../storage/open-store.ts';
import type { AgentAddress } from '../delivery/courier.ts';
import { deliver } from '../delivery/deliver.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';

export interface SourceDelivery {
  /** As it was recorded. */
  readonly source: SourceFacts;
  readonly agent: AgentAddress;
  /** The bytes that were kept when it was verified, if they were. */
  readonly kept: AsyncIterable<Uint8Array> | undefined;
}

/** Brings the source to the new member. What arrives must be what was verified, byte for byte. */
export function deliverSource(
  { store, place }: OpenedStorage,
  { source, agent, kept }: SourceDelivery,
  { signal, onProgress }: JobContext,
): Promise<SourceFacts> {
  return deliver({
    agent,
    bytes: source.bytes,
    body: () => kept ?? store.get(place.key, undefined, { signal }),
    judge: ({ bytes, sha256 }) => {
      if (bytes === source.bytes && sha256 === source.sha256) return source;
      throw new RestoreError('SourceRefused', 'the bytes are not those that were verified');
    },
    signal,
    onProgress,
  });
}
