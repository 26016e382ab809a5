// SPDX-License-Identifier: Apache-2.0
import { compareMinors, type EtcdVersion, isSameMinor, parseVersion } from '@operator-parts/etcd';
import type { Assessment, MemberView } from '../assessment.ts';
import { later, type Proposal, soon, take, waitFor } from '../proposal.ts';
import { enabledDowngrade, type UpgradePath } from './upgrade-path.ts';

/**
 * Prepares a downgrade by one minor version with etcd's own procedure. The downgrade is enabled, every member converts its database to the
 * older format, and the members are replaced one by one. etcd ends the downgrade by itself when the last member runs the older version.
 */
export function prepareDowngrade(assessment: Assessment, { verdict }: UpgradePath): Proposal | undefined {
  if (verdict.kind !== 'downgrade' || enabledDowngrade(assessment)) return undefined;
  const [joining] = assessment.learners;
  if (joining)
    return waitFor(
      `Waiting for member ${joining.name} to join before the downgrade begins: no member can join while a downgrade is enabled.`,
      later,
    );
  return take(
    { do: 'enableDowngrade', version: verdict.target },
    `Enabling the downgrade to ${verdict.target}: ${verdict.reason}.`,
  );
}

/**
 * The older version refuses to start while the cluster has the newer cluster version, or on a database in the newer format. So the operator
 * waits for both, also in a new cluster that does not report them yet.
 */
export function holdForStorage(
  { observation }: Assessment,
  { answer, name }: MemberView,
  { verdict, target }: UpgradePath,
): Proposal | undefined {
  if (verdict.kind !== 'downgrade') return undefined;
  const isReached = (text: string) => {
    const version = parseVersion(text);
    return version !== undefined && compareMinors(version, target) <= 0;
  };
  if (!isReached(observation.etcd.clusterVersion)) {
    return waitFor(`Waiting for the cluster version to become ${minorOf(target)} before a member is downgraded.`, soon);
  }
  if (answer?.kind === 'status' && isReached(answer.storageVersion)) return undefined;
  return waitFor(`Waiting for member ${name} to convert its database to ${minorOf(target)}.`, soon);
}

/** Cancels a downgrade that the spec no longer asks for. Members that were already downgraded are then upgraded again. */
export function cancelUnwantedDowngrade(assessment: Assessment): Proposal | undefined {
  const enabled = enabledDowngrade(assessment);
  const wanted = parseVersion(assessment.desired.version);
  if (!enabled || !wanted || isSameMinor(enabled, wanted)) return undefined;
  return take(
    { do: 'cancelDowngrade' },
    `Cancelling the downgrade to ${minorOf(enabled)}: the spec asks for ${assessment.desired.version}.`,
  );
}

/**
 * etcd accepts no new member while a downgrade is enabled: it checks for a cluster version that the cluster has already left. So the
 * downgrade is cancelled while a member has to join, and enabled again when no member is missing. Members that were already downgraded keep
 * the older version.
 */
export function cancelDowngradeForJoin(assessment: Assessment): Proposal | undefined {
  const enabled = enabledDowngrade(assessment);
  if (!enabled) return undefined;
  return take(
    { do: 'cancelDowngrade' },
    `Cancelling the downgrade to ${minorOf(enabled)} for now: a member has to join, and etcd accepts no new member while a downgrade is enabled.`,
  );
}

function minorOf({ major, minor }: EtcdVersion): string {
  return `${major}.${minor}`;
}
