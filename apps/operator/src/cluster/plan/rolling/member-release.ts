// SPDX-License-Identifier: Apache-2.0
import { compareMinors, compareVersions, type EtcdVersion, isSameMinor, parseVersion } from '@operator-parts/etcd';
import type { Desired } from '../../desired.ts';
import type { MemberPod, MemberVolume } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import type { Release } from '../step.ts';

/** The versions that the members of a cluster run now, as etcd reports them. */
export interface RunningVersions {
  readonly oldest: EtcdVersion;
  readonly newest: EtcdVersion;
}

/** Undefined unless every voter reports its version. */
export function runningVersions({ voters }: Assessment): RunningVersions | undefined {
  const known = voters.flatMap((view) => versionOfAnswer(view) ?? []).sort(compareVersions);
  const oldest = known[0];
  const newest = known.at(-1);
  return oldest && newest && known.length === voters.length ? { oldest, newest } : undefined;
}

/** True if two texts name the same etcd version; a packager's suffix is ignored. */
export function isSameVersion(a: string, b: string): boolean {
  if (a === b) return true;
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return left !== undefined && right !== undefined && compareVersions(left, right) === 0;
}

export function wantedRelease({ version, image }: Desired): Release {
  return { version, image };
}

/**
 * The release for a new, empty member. The wanted version is used if it has the same minor as all voters and is not known to fail;
 * otherwise, the oldest version that a voter runs. Only `upgrade`, with all its checks, changes to another minor.
 */
export function releaseForNewMember(assessment: Assessment): Release {
  const wanted = parseVersion(assessment.desired.version);
  const running = releasesOfVoters(assessment);
  const [oldest] = running;
  if (!oldest || !wanted) return wantedRelease(assessment.desired);
  const staysWithin = running.every((release) => isSameMinor(release.parsed, wanted));
  return staysWithin && !isKnownBad(assessment) ? wantedRelease(assessment.desired) : oldest.release;
}

/**
 * The release for a member that returns on its volume: the release that was last started on the volume, because an older release may not be
 * able to read the data. It is never older than the cluster version. If this release was not confirmed yet, `rollbackTo` is the release
 * before it.
 */
export function releaseForVolume(
  assessment: Assessment,
  volume: MemberVolume,
): Release & { readonly rollbackTo: Release | undefined } {
  const { previousVersion } = volume;
  const rollbackTo = previousVersion === '' ? undefined : releaseOfVersion(assessment.desired, previousVersion);
  return { ...lastReleaseOn(assessment, volume), rollbackTo };
}

function lastReleaseOn(assessment: Assessment, volume: MemberVolume): Release {
  const { observation, desired } = assessment;
  const [oldest] = releasesOfVoters(assessment);
  const text = volume.version || oldest?.release.version || observation.cluster.currentVersion || desired.version;
  const version = parseVersion(text);
  const spoken = parseVersion(observation.etcd.clusterVersion);
  if (!version || (spoken && oldest && compareMinors(version, spoken) < 0)) {
    return oldest?.release ?? wantedRelease(desired);
  }
  if (oldest && oldest.release.version === text) return oldest.release;
  return releaseOfVersion(desired, text);
}

/** A version in the repository of the spec. */
export function releaseOfVersion(desired: Desired, version: string): Release {
  const { repository, image } = desired;
  return { version, image: isSameVersion(version, desired.version) ? image : `${repository}:v${version}` };
}

/** True if the wanted version was tried or checked and does not work. */
export function isKnownBad({ observation, desired }: Pick<Assessment, 'observation' | 'desired'>): boolean {
  const { failedUpgrade, generation } = observation.cluster;
  if (failedUpgrade?.version === desired.version && failedUpgrade.generation === generation) return true;
  return observation.imageChecks.some(
    (check) =>
      check.image === desired.image &&
      (check.result === 'failed' || (check.result === 'succeeded' && !isSameVersion(check.detail, desired.version))),
  );
}

/**
 * True if a pod whose container does not run may get the wanted image and keep its data: only within the same minor version. Pods of CoreOS
 * etcd-operator end permanently when their image is changed (operator rule 6).
 */
export function mayTakeWantedImage(pod: MemberPod, desired: Desired): boolean {
  const [from, to] = [parseVersion(pod.version), parseVersion(desired.version)];
  return !pod.adopted && from !== undefined && to !== undefined && isSameMinor(from, to);
}

/** The release to which a pod is rolled back if a new image does not work: the last release that was confirmed. */
export function rollbackTargetOf(pod: MemberPod): Release {
  if (pod.previousVersion === '') return { version: pod.version, image: pod.image };
  return { version: pod.previousVersion, image: pod.previousImage };
}

/** The releases of all answering voters, oldest first. */
function releasesOfVoters({ voters, desired }: Assessment) {
  return voters
    .flatMap((view) => {
      const parsed = versionOfAnswer(view);
      return parsed && view.answer?.kind === 'status'
        ? [{ parsed, release: releaseOf(view, view.answer.version, desired) }]
        : [];
    })
    .sort((a, b) => compareVersions(a.parsed, b.parsed));
}

/** The image of the version that a member reports. While the image of its pod is being changed, this is the previous image. */
function releaseOf({ pod }: MemberView, version: string, desired: Desired): Release {
  if (pod && isSameVersion(pod.version, version)) return { version: pod.version, image: pod.image };
  if (pod && pod.previousImage !== '' && isSameVersion(pod.previousVersion, version)) {
    return { version: pod.previousVersion, image: pod.previousImage };
  }
  return releaseOfVersion(desired, version);
}

function versionOfAnswer({ answer }: MemberView): EtcdVersion | undefined {
  return answer?.kind === 'status' ? parseVersion(answer.version) : undefined;
}
