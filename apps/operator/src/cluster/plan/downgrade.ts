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

/** A member whose database is still in the newer format cannot be opened by the older version. */
export function holdForStorage({ answer, name }: MemberView, { verdict, target }: UpgradePath): Proposal | undefined {
  if (verdict.kind !== 'downgrade') return undefined;
  const stored = answer?.kind === 'status' ? parseVersion(answer.storageVersion) : undefined;
  if (!stored || compareMinors(stored, target) <= 0) return undefined;
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
