// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, isSameMinor, parseVersion, type UpgradeVerdict, upgradeVerdict } from '@operator-parts/etcd';
import type { Assessment } from '../assessment.ts';
import { describeUnmanaged, unmanagedMembersOf } from '../healing/unmanaged-members.ts';
import { sentence } from '../sentence.ts';
import { isSameVersion, type RunningVersions, runningVersions } from './member-release.ts';

/** The path from the running versions to the wanted version. */
export interface UpgradePath {
  readonly running: RunningVersions;
  readonly target: EtcdVersion;
  readonly verdict: UpgradeVerdict;
}

/** The path from the running versions to spec.version. Undefined if the version of a member is unknown. */
export function upgradePath(assessment: Assessment): UpgradePath | undefined {
  const running = runningVersions(assessment);
  const target = parseVersion(assessment.desired.version);
  if (!running || !target) return undefined;
  const clusterVersion = parseVersion(assessment.observation.etcd.clusterVersion);
  const facts = { clusterVersion, oldestRunning: running.oldest };
  const verdict = isDowngradingTo(assessment, target)
    ? ({ kind: 'downgrade', target: '', reason: 'the downgrade is in progress' } as const)
    : upgradeVerdict(running.newest, target, facts);
  return { running, target, verdict };
}

/** Sentences that say why the wanted version cannot be rolled out now; undefined if it can. Members are not changed meanwhile. */
export function whyUpgradeIsHeld(assessment: Assessment): string | undefined {
  const { desired, observation } = assessment;
  const { failedUpgrade, generation } = observation.cluster;
  if (failedUpgrade?.version === desired.version && failedUpgrade.generation === generation) {
    return `The upgrade to ${desired.version} failed: ${failedUpgrade.message} It is not retried until the spec changes.`;
  }
  const path = upgradePath(assessment);
  if (!path) return `The change to version ${desired.version} is on hold: ${whyVersionsAreUnknown(assessment)}.`;
  const { kind, reason } = path.verdict;
  if (kind === 'refused') return `Version ${desired.version} is refused: ${reason}.`;
  if (kind === 'wait') return `The change to version ${desired.version} is on hold: ${reason}.`;
  if (desired.optionProblems.length > 0) {
    return `The change to version ${desired.version} is on hold: ${desired.optionProblems.join('; ')}.`;
  }
  return whyImageCannotBeUsed(assessment);
}

function whyVersionsAreUnknown(assessment: Assessment): string {
  const unmanaged = unmanagedMembersOf(assessment).find((view) => !view.member.isLearner);
  return unmanaged
    ? `the version of unmanaged member ${describeUnmanaged(unmanaged)} is not known`
    : 'the versions of the members are not known yet';
}

function whyImageCannotBeUsed({ observation, desired }: Assessment): string | undefined {
  const checks = observation.imageChecks.filter((check) => check.image === desired.image);
  const failed = checks.find((check) => check.result === 'failed');
  if (failed) return `Image ${desired.image} cannot be used on node ${failed.node}: ${sentence(failed.detail)}`;
  const wrong = checks.find((check) => check.result === 'succeeded' && !isSameVersion(check.detail, desired.version));
  return wrong && `Image ${desired.image} cannot be used: it contains etcd ${wrong.detail}, not ${desired.version}.`;
}

/** The target version of an enabled downgrade; undefined if none is enabled. */
export function enabledDowngrade({ voters }: Assessment): EtcdVersion | undefined {
  for (const { answer } of voters) {
    const target = answer?.kind === 'status' ? parseVersion(answer.downgradeTarget) : undefined;
    if (target) return target;
  }
  return undefined;
}

function isDowngradingTo(assessment: Assessment, target: EtcdVersion): boolean {
  const enabled = enabledDowngrade(assessment);
  return enabled !== undefined && isSameMinor(enabled, target);
}
