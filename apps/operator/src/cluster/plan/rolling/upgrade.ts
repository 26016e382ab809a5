// SPDX-License-Identifier: Apache-2.0
import { isSameMinor, parseVersion, preparingSnapshotCount } from '@operator-parts/etcd';
import type { Assessment, MemberView } from '../assessment.ts';
import { later, type Proposal, soon, take, waitFor } from '../proposal.ts';
import { holdForAlarms, holdStop } from './disruption.ts';
import { cancelUnwantedDowngrade, holdForStorage, prepareDowngrade } from './downgrade.ts';
import { proveImages } from './image-proof.ts';
import { moveLeadershipFrom } from './leadership.ts';
import { isSameVersion } from './member-release.ts';
import { gateOnSnapshots, restoreSnapshotCount } from './raft-snapshots.ts';
import { recreateOnVolume } from './replace.ts';
import { wantedImage } from './set-image.ts';
import { type UpgradePath, upgradePath, whyUpgradeIsHeld } from './upgrade-path.ts';

/**
 * Brings members to the wanted version and image, one at a time and in place: the upgrade path is checked, the image is tested on each
 * node, and the leader comes last. An upgrade to the next minor waits until every member has taken a raft snapshot (operator rules 3 and
 * 6).
 *
 * Assumes that all members are healthy voters and that their number is right.
 */
export function upgrade(assessment: Assessment): Proposal | undefined {
  const outdated = assessment.own.filter((view) => !view.member.isLearner && !runs(view, assessment));
  const first = cancelUnwantedDowngrade(assessment);
  if (first) return first;
  if (outdated.length > 0) return roll(assessment, outdated);
  return holdForAlarms(assessment) ? undefined : restoreSnapshotCount(assessment);
}

function roll(assessment: Assessment, outdated: readonly MemberView[]): Proposal | undefined {
  const held = whyUpgradeIsHeld(assessment);
  if (held) return waitFor(held, later);
  const path = upgradePath(assessment);
  if (!path) return undefined;
  return (
    holdForAlarms(assessment) ??
    gateOnSnapshots(assessment, path) ??
    prepareDowngrade(assessment, path) ??
    proveImages(assessment, outdated) ??
    next(assessment, outdated, path)
  );
}

function runs({ pod, answer }: MemberView, { desired }: Assessment): boolean {
  return pod?.image === desired.image && answer?.kind === 'status' && isSameVersion(answer.version, desired.version);
}

function next(assessment: Assessment, outdated: readonly MemberView[], path: UpgradePath): Proposal | undefined {
  const { leader, voters } = assessment;
  const view = outdated.find((candidate) => candidate !== leader) ?? outdated[0];
  const pod = view?.pod;
  if (!view || !pod) return undefined;
  const unproven = voters.find((other) => other.pod && other.pod.previousVersion !== '');
  if (unproven) return waitFor(`Waiting for member ${unproven.name} to restart with its new image.`, soon);
  // A pod of CoreOS etcd-operator ends permanently when its image is changed (operator rules 6 and 8).
  if (pod.adopted) {
    return pod.data === 'claim'
      ? recreateOnVolume(assessment, view, 'a pod of the CoreOS etcd-operator cannot change its version in place')
      : undefined;
  }
  return (
    holdStop(assessment, view) ??
    holdForStorage(assessment, view, path) ??
    (voters.length > 1 ? moveLeadershipFrom(assessment, view, 'is about to restart') : undefined) ??
    take(patchImage(assessment, pod, path), reasonOf(assessment, pod, outdated.length))
  );
}

function patchImage({ desired }: Assessment, pod: NonNullable<MemberView['pod']>, { running, target }: UpgradePath) {
  const isMinorStep = !isSameMinor(parseVersion(pod.version) ?? running.oldest, target);
  return wantedImage(pod, desired, isMinorStep ? String(preparingSnapshotCount) : pod.snapshotCount);
}

function reasonOf({ desired, voters }: Assessment, pod: NonNullable<MemberView['pod']>, count: number): string {
  const change = isSameVersion(pod.version, desired.version)
    ? `to image ${desired.image}`
    : `from ${pod.version} to ${desired.version}`;
  const cost = voters.length < 3 ? ' A cluster of this size cannot serve clients while a member restarts.' : '';
  return `Updating member ${pod.name} ${change} in place. Remaining members: ${count - 1}.${cost}`;
}
