// SPDX-License-Identifier: Apache-2.0
import type { OpenedStorage } from '../../storage/open-store.ts';
import { deliver } from '../delivery/deliver.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { openPoint } from '../point-in-time/point-source.ts';
import { RestoreError } from '../restore-error.ts';
import { asVerified, type SourceDelivery } from './deliver-source.ts';

/**
 * Sends the data of a point in time to the new member. No object in the store has this data. So the data that was kept at verification is
 * sent, or the data is built again from the same full backup up to the same revision. What the new member receives must equal what was
 * verified, byte for byte.
 */
export async function deliverPoint(
  opened: OpenedStorage,
  { source, agent, kept }: Omit<SourceDelivery, 'acceptWithoutHash'>,
  { signal, onProgress }: JobContext,
): Promise<SourceFacts> {
  if (!source.pointInTime)
    throw new RestoreError(
      'SourceRefused',
      'the result of the backup verification was lost. Create another EtcdRestore',
    );
  const goal = { revision: BigInt(source.revision) };
  const body = kept ?? (await openPoint(opened, goal, signal, source.pointInTime.snapshot)).all();
  return deliver({
    agent,
    bytes: source.bytes,
    presign: undefined,
    body: () => body,
    judge: asVerified(source),
    signal,
    onProgress,
  });
}
