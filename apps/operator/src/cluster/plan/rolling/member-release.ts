// SPDX-License-Identifier: Apache-2.0
import { compareMinors, compareVersions, type EtcdVersion, isSameMinor, parseVersion } from '@etcd-operator/etcd';
import type { Desired } from '../../desired.ts';
import type { MemberPod, MemberVolume } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import type { Release } from '../step.ts';

/** What the members of a cluster run at the moment, by etcd's own word. */
export interface RunningVersions {
  readonly oldest: EtcdVersion;
  readonly newest: EtcdVersion;
}

/** Undefined unless every voter says what it runs. */
export function runningVersions({ voters }: Assessment): RunningVersions | undefined {
  const known = voters.flatMap((view) => versionOfAnswer(view) ?? []).sort(compareVersions);
  const oldest = known[0];
  const newest = known.at(-1);
  return oldest && newest && known.length === voters.length ? { oldest, newest } : undefined;
}

/** True if two texts name the same etcd: a packager's suffix makes no difference. */
export function isSameVersion(a: string, b: string): boolean {
  if (a === b) return true;
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return left !== undefined && right !== undefined && compareVersions(left, right) === 0;
}

export function wantedRelease({ version, image }: Desired): Release {
  return { version, image };
}

/**
 * What an empty member runs that joins. The version asked for, if the way there is no more than a patch and nothing speaks
 * against it; else what the cluster runs: a step to another minor is taken by the upgrade alone, with all its gates.
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
 * What a member runs that comes back on its volume: what was last started on it, because nothing older may be able to read it
 * any more; with the way back it had, if that was not proven yet. Nothing older than the cluster speaks by now.
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

/** A version under the repository asked for. */
export function releaseOfVersion(desired: Desired, version: string): Release {
  const { repository, image } = desired;
  return { version, image: isSameVersion(version, desired.version) ? image : `${repository}:v${version}` };
}

/** True if what is asked for has been tried or looked at, and does not work. */
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
 * True if a pod whose container does not run may be given the image that is asked for, with its data: only within its minor.
 * Pods of CoreOS etcd-operator end for good when their image is changed (operator rule 6).
 */
export function mayTakeWantedImage(pod: MemberPod, desired: Desired): boolean {
  const [from, to] = [parseVersion(pod.version), parseVersion(desired.version)];
  return !pod.adopted && from !== undefined && to !== undefined && isSameMinor(from, to);
}

/** What a pod goes back to if a new image does not work: the last one that was proven. */
export function rollbackTargetOf(pod: MemberPod): Release {
  if (pod.previousVersion === '') return { version: pod.version, image: pod.image };
  return { version: pod.previousVersion, image: pod.previousImage };
}

/** Oldest first. */
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

/** The image that belongs to the version a member answers with; while a patch is under way that is the one before it. */
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
