// SPDX-License-Identifier: Apache-2.0
import { formatId, type MemberStatus } from '@operator-parts/etcd';
import type { JobContext } from '../jobs.ts';
import type {
  ComparedPoint,
  ComparedPrefixes,
  Comparison,
  PrefixFacts,
  SourceFacts,
  WrittenPrefixes,
} from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import { type ClusterAndBackup, differences, presentRevision } from './cluster-and-backup.ts';
import { type DatabaseSpace, whyNoSpace } from './database-space.ts';
import { type Fetch, type LocalPlace, type LocalSnapshot, withLocalSnapshot } from './local-snapshot.ts';
import { mergePrefixes } from './merge-prefixes.ts';
import { type Since, Tally } from './tally.ts';
import { keysChanged, writePrefixes } from './write-prefixes.ts';

/** The parts of a cluster member that reading and writing keys needs. */
export interface MemberAccess {
  readonly client: Pick<ClusterAndBackup, 'kv'>;
  readonly status: Pick<MemberStatus, 'clusterId' | 'dbSize' | 'dbSizeQuota'>;
}

/** What `comparePrefixes` and `writeRecorded` need. */
export interface PrefixWork {
  readonly place: LocalPlace;
  readonly prefixes: PrefixFacts;
  readonly fetch: Fetch;
  /** The database quota from the spec of the cluster; a quota that a member reports takes precedence. */
  readonly quotaBytes: number;
  /** The revision of the safety snapshot; undefined if none exists and none is needed. */
  readonly savedUpTo?: bigint | undefined;
  /** Throws if no more keys may be written; called before each transaction. */
  readonly mayWrite: () => void;
  /** Calls `work` with a member of the cluster, and closes the connection afterwards. */
  readonly withMember: <T>(work: (chosen: MemberAccess) => Promise<T>) => Promise<T>;
}

/** Fetches and verifies the backup, and compares its keys with those of the cluster. Only reads. */
export function comparePrefixes(work: PrefixWork, { signal }: JobContext): Promise<ComparedPrefixes> {
  const { wanted, isDryRun, overwrites, recorded } = work.prefixes;
  // A dry run starts without an earlier comparison.
  const before = isDryRun ? undefined : recorded;
  return withBoth(work, async (sides, facts, { clusterId, space }) => {
    const revision = await presentRevision(sides, signal);
    // Permission to overwrite covers only changes of other clients: the backup and the cluster must be the ones that were compared.
    const tally = new Tally(before && !overwrites ? sinceOf(before) : undefined);
    for await (const change of differences(sides, revision, signal)) tally.add(change);
    const { sha256 = '' } = facts;
    const warning = whyNoSpace(tally.counts, space);
    const counts = { ...tally.counts, ...pointOf(facts, work.prefixes), ...(warning !== undefined && { warning }) };
    const comparison = { sha256, prefixes: wanted, clusterId, revision: Number(revision), ...counts };
    const other = before && whyOther(before, sha256, clusterId);
    const changed = before && !overwrites ? (whyOtherKeys(before, wanted) ?? tally.conflict) : undefined;
    const conflict = other ?? changed;
    const why = conflict && keysChanged(conflict, BigInt(before?.revision ?? 0), other === undefined).message;
    return { source: facts, comparison, conflict: why };
  });
}

/**
 * Writes the differences that were compared and recorded. If other clients have changed a key meanwhile, nothing more is written; or, if
 * such keys may be overwritten, the key is left out until a safety snapshot contains its present value.
 */
export function writeRecorded(work: PrefixWork, { signal, onProgress }: JobContext): Promise<WrittenPrefixes> {
  const { recorded, overwrites } = work.prefixes;
  if (!recorded)
    return Promise.reject(
      new RestoreError('SourceRefused', 'the result of the comparison was lost. Create another EtcdRestore'),
    );
  return withBoth(work, async (sides, { sha256 = '' }, { clusterId, space }) => {
    const other = whyOther(recorded, sha256, clusterId);
    if (other !== undefined) throw keysChanged(other, BigInt(recorded.revision), false);
    const since = overwrites ? undefined : sinceOf(recorded);
    const { mayWrite, savedUpTo } = work;
    const total = recorded.puts + recorded.deletes;
    return writePrefixes(sides, { since, savedUpTo, total, space, mayWrite, onProgress, signal });
  });
}

function withBoth<T>(
  { place, prefixes, fetch, withMember, quotaBytes }: PrefixWork,
  use: (
    sides: ClusterAndBackup,
    facts: SourceFacts,
    target: { readonly clusterId: string; readonly space: DatabaseSpace },
  ) => Promise<T>,
): Promise<T> {
  return withLocalSnapshot(place, fetch, ({ facts, keys, spill }: LocalSnapshot) =>
    withMember(({ client, status }) => {
      const sides = { kv: client.kv, backup: keys, spill, prefixes: mergePrefixes(prefixes.wanted) };
      const { dbSize: size, dbSizeQuota = quotaBytes } = status;
      // Like etcd: a quota below zero means no quota.
      const space = { size, quota: dbSizeQuota < 0 ? Number.POSITIVE_INFINITY : dbSizeQuota };
      return use(sides, facts, { clusterId: formatId(status.clusterId), space });
    }),
  );
}

function pointOf({ pointInTime, revision }: SourceFacts, { asked }: PrefixFacts): Pick<Comparison, 'point'> {
  return pointInTime && asked !== undefined ? { point: { asked, snapshot: pointInTime.snapshot, revision } } : {};
}

/**
 * The point in time that was compared, so that it is built again from the same backup; undefined if no point was compared yet, or if the
 * spec now asks for another point.
 */
export function comparedPoint(prefixes: PrefixFacts | undefined): ComparedPoint | undefined {
  const { isDryRun, asked, recorded } = prefixes ?? {};
  return !isDryRun && recorded?.point?.asked === asked ? recorded?.point : undefined;
}

function sinceOf({ revision, creates }: Comparison): Since {
  return { revision: BigInt(revision), creates };
}

/** Why a comparison does not apply to this backup or cluster, as text; undefined if it does. */
function whyOther(before: Comparison, sha256: string, clusterId: string): string | undefined {
  if (before.clusterId !== clusterId)
    return `the cluster was replaced (cluster ID ${clusterId}, not ${before.clusterId})`;
  return before.sha256 === sha256 ? undefined : 'the backup was replaced by another backup';
}

/** Why a comparison of other prefixes does not apply: it does not show what other clients have changed in keys of the present prefixes. */
function whyOtherKeys({ prefixes }: Comparison, wanted: readonly string[]): string | undefined {
  return isSame(prefixes, wanted) ? undefined : 'spec.prefixes was changed';
}

/** True if both lists of prefixes select the same keys. */
function isSame(one: readonly string[], other: readonly string[]): boolean {
  return hexes(one) === hexes(other);
}

function hexes(prefixes: readonly string[]): string {
  return mergePrefixes(prefixes)
    .map((prefix) => Buffer.from(prefix).toString('hex'))
    .join();
}
