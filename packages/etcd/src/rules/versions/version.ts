// SPDX-License-Identifier: Apache-2.0

/** A version of etcd. Made by `parseVersion` or `versionOf`; compare with `compareVersions`, never field by field. */
export interface EtcdVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `rc.1` of `3.6.0-rc.1`; empty for a release. */
  readonly prerelease: string;
}

/** A minor series as people write it. */
export type MinorName = `${number}.${number}`;

const pattern = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;

/**
 * Parses `3.5.12`, `v3.6.0`, `3.6.0-rc.1`. A suffix of digits only (`3.5.12-0`) is the build number of a packager and
 * counts as the release itself. Undefined for everything else, such as `3.5` and `latest`.
 */
export function parseVersion(text: string): EtcdVersion | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, major, minor, patch, suffix = ''] = match;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: /^\d+$/.test(suffix) ? '' : suffix,
  };
}

/** Like `parseVersion`, for texts that are known to be versions, such as constants. Throws otherwise. */
export function versionOf(text: string): EtcdVersion {
  const version = parseVersion(text);
  if (!version) throw new RangeError(`not a version of etcd: ${JSON.stringify(text)}; expected a form like 3.6.16`);
  return version;
}

/** Without a leading `v`. */
export function formatVersion(version: EtcdVersion): string {
  const { major, minor, patch, prerelease } = version;
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}`;
}

/** `3.5` of 3.5.12. */
export function minorName(version: EtcdVersion): MinorName {
  return `${version.major}.${version.minor}`;
}

/** Negative if `a` is older than `b`, positive if newer, 0 if equal. A pre-release is older than its release. */
export function compareVersions(a: EtcdVersion, b: EtcdVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePrereleases(a.prerelease, b.prerelease);
}

/** True if `version` is `floor` or newer. */
export function isAtLeast(version: EtcdVersion, floor: EtcdVersion): boolean {
  return compareVersions(version, floor) >= 0;
}

/** True if both belong to the same minor series; patches and pre-releases do not matter. */
export function isSameMinor(a: EtcdVersion, b: EtcdVersion): boolean {
  return a.major === b.major && a.minor === b.minor;
}

/** Negative, 0 or positive as `a`'s minor series is older than, the same as, or newer than `b`'s. */
export function compareMinors(a: EtcdVersion, b: EtcdVersion): number {
  return a.major - b.major || a.minor - b.minor;
}

/** Semantic versioning's order: a release after its pre-releases, numbers as numbers and before words. */
function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const left = a.split('.');
  const right = b.split('.');
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const order = compareIdentifiers(left[index], right[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const numeric = [a, b].map((identifier) => /^\d+$/.test(identifier));
  if (numeric[0] && numeric[1]) return Number(a) - Number(b);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : 1;
}
