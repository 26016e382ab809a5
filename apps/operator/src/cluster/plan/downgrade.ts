// SPDX-License-Identifier: Apache-2.0
import { compareMinors, type EtcdVersion, isSameMinor, parseVersion } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { type Proposal, soon, take, waitFor } from './proposal.ts';
import { enabledDowngrade, type UpgradePath } from './upgrade-path.ts';

/**
 * One minor down, by etcd's own procedure: it is enabled, every member brings its database into the older format, then the
 * members are replaced one by one; etcd ends it by itself when the last one runs the older version.
 */
export function prepareDowngrade(assessment: Assessment, { verdict }: UpgradePath): Proposal | undefined {
  if (verdict.kind !== 'downgrade' || enabledDowngrade(assessment)) return undefined;
  return take(
    { do: 'enableDowngrade', version: verdict.target },
    `etcd prepares its data for ${verdict.target}: ${verdict.reason}`,
  );
}

/**
 * The older version refuses to start in a cluster that still speaks the newer one, and on a database in the newer format. A
 * young cluster has not settled on either yet: what is not said is waited for.
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
    return waitFor(`the members agree to speak ${minorOf(target)} before one of them goes down to it`, soon);
  }
  if (answer?.kind === 'status' && isReached(answer.storageVersion)) return undefined;
  return waitFor(`${name} brings its database into the format of ${minorOf(target)}`, soon);
}

/** A downgrade that the spec no longer asks for is called off; members that went down already go up again. */
export function cancelUnwantedDowngrade(assessment: Assessment): Proposal | undefined {
  const enabled = enabledDowngrade(assessment);
  const wanted = parseVersion(assessment.desired.version);
  if (!enabled || !wanted || isSameMinor(enabled, wanted)) return undefined;
  return take(
    { do: 'cancelDowngrade' },
    `a downgrade to ${minorOf(enabled)} is under way, and the spec asks for ${assessment.desired.version}: it is called off`,
  );
}

function minorOf({ major, minor }: EtcdVersion): string {
  return `${major}.${minor}`;
}
