// SPDX-License-Identifier: Apache-2.0
import { compareMinors, type EtcdVersion, formatVersion, isAtLeast, isSameMinor, versionOf } from './version.ts';

/** A known bug of some versions of etcd. */
export interface Advisory {
  /** `CVE-...`, `GHSA-...`, or the number of the issue. */
  readonly id: string;
  /** `security`: unauthorized access; `data`: acknowledged data or membership may be lost. */
  readonly kind: 'security' | 'data';
  readonly summary: string;
  /** The first affected version; undefined if all earlier ones are. */
  readonly since: EtcdVersion | undefined;
  /**
   * The first fixed patch of each series, oldest first. Series older than the first one listed were never fixed; series
   * newer than the last one never had the bug.
   */
  readonly fixedIn: readonly EtcdVersion[];
}

function advisory(
  id: string,
  kind: Advisory['kind'],
  summary: string,
  versions: { readonly since?: string; readonly fixedIn: readonly string[] },
): Advisory {
  const since = versions.since === undefined ? undefined : versionOf(versions.since);
  return { id, kind, summary, since, fixedIn: versions.fixedIn.map(versionOf) };
}

/** All advisories that this package knows, newest first. */
export const advisories: readonly Advisory[] = [
  advisory('GHSA-xg4h-6gfc-h4m8', 'security', 'a watch may return keys that its user is not permitted to read', {
    fixedIn: ['3.5.33', '3.6.14', '3.7.1'],
  }),
  advisory('GHSA-6vch-q96h-7gc3', 'security', 'unfinished TLS handshakes are unbounded and exhaust the server', {
    fixedIn: ['3.5.33', '3.6.14', '3.7.1'],
  }),
  advisory('CVE-2026-44283', 'security', 'PrevKv and leases inside a transaction bypass authorisation', {
    fixedIn: ['3.4.44', '3.5.30', '3.6.11'],
  }),
  advisory('CVE-2026-33413', 'security', 'several gRPC calls bypass authorisation', {
    fixedIn: ['3.4.42', '3.5.28', '3.6.9'],
  }),
  advisory('CVE-2026-33343', 'security', 'nested transactions bypass authorisation', {
    fixedIn: ['3.4.42', '3.5.28', '3.6.9'],
  }),
  advisory('etcd-20967', 'data', 'removed members can reappear when the cluster is upgraded to 3.6', {
    since: '3.5.0',
    fixedIn: ['3.5.26'],
  }),
  advisory('etcd-19557', 'data', 'a promoted member can turn back into a learner at a restart or an upgrade', {
    since: '3.5.1',
    fixedIn: ['3.5.20'],
  }),
  advisory('CVE-2023-32082', 'security', 'LeaseTimeToLive shows names of keys to users who may not read them', {
    fixedIn: ['3.4.26', '3.5.9'],
  }),
  advisory('CVE-2021-28235', 'security', 'passwords appear in the debug log', { fixedIn: ['3.4.25', '3.5.8'] }),
  advisory('etcd-13766', 'data', 'members of one cluster may hold different data after a kill under load', {
    since: '3.5.0',
    fixedIn: ['3.5.3'],
  }),
  advisory('CVE-2020-15106', 'security', 'a broken write-ahead log crashes the server', {
    fixedIn: ['3.3.23', '3.4.10'],
  }),
  advisory('CVE-2020-15113', 'security', 'existing directories keep permissions that are too wide', {
    fixedIn: ['3.3.23', '3.4.10'],
  }),
];

/** The advisories that affect a version, newest first. */
export function advisoriesFor(version: EtcdVersion): readonly Advisory[] {
  return advisories.filter((entry) => isExposed(version, entry));
}

/** The fixed patch in `version`'s own series; undefined if only a newer series has one. */
export function fixOf(version: EtcdVersion, entry: Advisory): string | undefined {
  const fixed = entry.fixedIn.find((candidate) => isSameMinor(candidate, version));
  return fixed && formatVersion(fixed);
}

function isExposed(version: EtcdVersion, { since, fixedIn }: Advisory): boolean {
  if (since && !isAtLeast(version, since)) return false;
  const ownSeries = fixedIn.find((fixed) => isSameMinor(fixed, version));
  if (ownSeries) return !isAtLeast(version, ownSeries);
  // This series has no fix. An older series was abandoned with the bug, a newer one never had it.
  return fixedIn.some((fixed) => compareMinors(version, fixed) < 0);
}
