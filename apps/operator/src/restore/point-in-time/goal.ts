// SPDX-License-Identifier: Apache-2.0
import type { EtcdRestoreSpec } from '../../api/etcd-restore.ts';
import type { ChainGoal } from '../../changes/chain.ts';
import { RestoreError } from '../restore-error.ts';

/** The goal that a spec asks for. Throws a `RestoreError` for a value that the schema does not exclude, such as the 30th of February. */
export function goalOf({ time, revision }: NonNullable<EtcdRestoreSpec['pointInTime']>): ChainGoal {
  if (revision !== undefined && time === undefined) return { revision: BigInt(revision) };
  const parsed = Date.parse(time ?? '');
  if (revision === undefined && !Number.isNaN(parsed)) return { time: parsed };
  throw new RestoreError('SourceRefused', 'spec.pointInTime must have either a valid time or a revision, not both');
}
