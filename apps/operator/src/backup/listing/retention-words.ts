// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { isCounted } from '../act/stored/prune.ts';
import { type BackupOrder, orderOf } from '../observe/backup-order.ts';
import { parsePeriodicKey } from '../plan/backup-names.ts';
import { type KeepRule, keepsAll } from '../plan/keep-rules.ts';
import { retention } from '../plan/retention.ts';
import { sparedKeys } from '../prove/proof-status.ts';
import type { ListedBackup } from './stored-list.ts';

/** Why a stored backup is kept. */
export type KeptBy =
  | KeepRule
  | 'maxBackups'
  /** spec.backupPolicy has no rule: every backup is kept. */
  | 'no rule'
  /** It is the newest backup, which is always kept. */
  | 'newest'
  /** It is the last proven backup (one that a test restore has shown to be usable), or a proof of it is in progress or has failed. */
  | 'proof'
  /** It is not known whether the object is a complete backup of this EtcdBackup. Such an object is never deleted. */
  | 'not counted';

/**
 * By key: what keeps each stored backup of a series. If nothing keeps a backup, it is deleted after the next backup. Undefined for a single
 * backup, for an invalid spec, and if retention deletes nothing because it finds no complete backup.
 */
export function keptByRules(
  backup: EtcdBackup,
  backups: readonly ListedBackup[],
): ReadonlyMap<string, readonly KeptBy[]> | undefined {
  const result = orderOf(backup);
  if (!('order' in result) || result.order.schedule.kind === 'once') return undefined;
  const { order } = result;
  const { namespace = '', name = '', uid = '' } = backup.metadata ?? {};
  const latest = latestOf(backups, order, { namespace, name, uid });
  const stored = backups.flatMap(({ key, bytes, modifiedAt }) => {
    const parsed = parsePeriodicKey(order.place.key, key);
    return parsed ? [{ ...parsed, bytes, madeAt: Math.min(parsed.time, modifiedAt || parsed.time) }] : [];
  });
  const sound = backups.filter((one) => isOwn(one, { namespace, name, uid }, latest));
  const spared = sparedKeys(backup.status, undefined, order.place);
  const policy = { keep: order.keep, made: latest?.key ?? '', spared };
  const listing = { backups: stored, withManifest: new Set<string>() };
  const decided = retention(listing, new Map(sound.map(({ key, bytes }) => [key, bytes])), policy);
  // Without a complete backup of this EtcdBackup, retention deletes nothing.
  if ('problem' in decided) return undefined;
  const { rules } = decided;
  return new Map(
    backups.map(({ key }) => [
      key,
      [
        ...namesOf(rules.get(key), backup, order),
        ...(key === latest?.key ? (['newest'] as const) : []),
        ...(spared.has(key) ? (['proof'] as const) : []),
      ],
    ]),
  );
}

type Owner = NonNullable<NonNullable<ListedBackup['manifest']>['backup']>;

/** The newest complete backup that this EtcdBackup made: retention counts from it. */
function latestOf(backups: readonly ListedBackup[], { place }: BackupOrder, owner: Owner): ListedBackup | undefined {
  const own = backups.filter(
    ({ manifest }) => manifest?.backup && isCounted(manifest, { backup: owner, clusterId: '' }),
  );
  return own.findLast(({ key }) => parsePeriodicKey(place.key, key));
}

function isOwn({ manifest }: ListedBackup, backup: Owner, latest: ListedBackup | undefined): boolean {
  const clusterId = latest?.manifest?.clusterId;
  return manifest !== undefined && clusterId !== undefined && isCounted(manifest, { backup, clusterId });
}

function namesOf(
  rules: readonly KeepRule[] | undefined,
  { spec }: EtcdBackup,
  { keep }: BackupOrder,
): readonly KeptBy[] {
  if (!rules) return ['not counted'];
  if (keepsAll(keep)) return ['no rule'];
  return spec.backupPolicy?.keep ? rules : rules.map((rule) => (rule === 'last' ? 'maxBackups' : rule));
}
