// SPDX-License-Identifier: Apache-2.0
import { compareMinors, type EtcdVersion, isSameMinor, type MinorName, minorName, versionOf } from './version.ts';

/** Facts about one minor series. */
export interface MinorRelease {
  readonly minor: MinorName;
  /** The newest patch when this table was written; newer ones are accepted. */
  readonly newest: EtcdVersion;
  /** The month (`YYYY-MM`) in which its support ended; undefined while it is maintained. */
  readonly endOfLife: string | undefined;
}

/** The default version of a cluster: a current, patched 3.6. */
export const defaultVersion: EtcdVersion = versionOf('3.6.16');

/** Every minor series whose rules this package knows, oldest first (etcd fact 1). */
export const minorReleases: readonly MinorRelease[] = [
  { minor: '3.0', newest: versionOf('3.0.17'), endOfLife: '2017-06' },
  { minor: '3.1', newest: versionOf('3.1.20'), endOfLife: '2018-02' },
  { minor: '3.2', newest: versionOf('3.2.32'), endOfLife: '2019-08' },
  { minor: '3.3', newest: versionOf('3.3.27'), endOfLife: '2021-06' },
  { minor: '3.4', newest: versionOf('3.4.44'), endOfLife: '2026-06' },
  { minor: '3.5', newest: versionOf('3.5.35'), endOfLife: undefined },
  { minor: '3.6', newest: versionOf('3.6.16'), endOfLife: undefined },
  { minor: '3.7', newest: versionOf('3.7.3'), endOfLife: undefined },
];

/** The series of a version; undefined for unknown ones (3.8, 4.0). */
export function minorRelease(version: EtcdVersion): MinorRelease | undefined {
  return minorReleases.find((release) => isSameMinor(release.newest, version));
}

/**
 * The support level of a version. `unknown`: the table does not contain its series, mostly because the series is newer.
 */
export type SupportState = 'supported' | 'endOfLife' | 'unknown';

/** Whether the etcd project still patches this version's series, with a sentence for a condition or a warning. */
export function supportOf(version: EtcdVersion): { readonly state: SupportState; readonly reason: string } {
  const release = minorRelease(version);
  const name = minorName(version);
  if (!release) {
    const newest = minorReleases.at(-1)?.minor;
    return {
      state: 'unknown',
      reason: `this operator does not know etcd ${name}; the newest minor that it knows is ${newest}`,
    };
  }
  if (release.endOfLife === undefined) return { state: 'supported', reason: `etcd ${name} is maintained` };
  return {
    state: 'endOfLife',
    reason: `etcd ${name} has received no fixes since ${release.endOfLife}; plan an upgrade, one minor at a time`,
  };
}

/** The newest patch of each maintained series, oldest first: the versions to choose from. */
export function supportedVersions(): readonly EtcdVersion[] {
  return minorReleases.filter(({ endOfLife }) => endOfLife === undefined).map(({ newest }) => newest);
}

/** True if `upper` is the series directly after `lower`. */
export function isNextMinor(lower: EtcdVersion, upper: EtcdVersion): boolean {
  return compareMinors(lower, upper) < 0 && lower.major === upper.major && upper.minor === lower.minor + 1;
}
