// SPDX-License-Identifier: Apache-2.0
import type { Condition } from '../../api/condition-schema.ts';
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { mergedCondition } from '../../api/merged-condition.ts';
import type { BackupReason } from '../../api/reasons.ts';

/** A condition to set on an EtcdBackup. */
export type Claim = Pick<Condition, 'type' | 'status' | 'message'> & { readonly reason: BackupReason };

type Claimed = Omit<Claim, 'reason'> & { readonly reason: string };

/** The conditions of a status after the given conditions were set; all other conditions stay. */
export function mergedConditions(
  status: EtcdBackupStatus | undefined,
  some: readonly (Claimed | undefined)[],
  now: string,
): readonly Condition[] {
  const previous = status?.conditions ?? [];
  const claims = some.filter((claim) => claim !== undefined);
  const set = new Map(claims.map((claim) => [claim.type, mergedCondition(previous, claim, now)]));
  // Keeps the order of the conditions, because a new order would count as a change of the status.
  const kept = previous.map((old) => set.get(old.type) ?? old);
  const known = new Set(previous.map(({ type }) => type));
  return [...kept, ...[...set.values()].filter(({ type }) => !known.has(type))];
}
