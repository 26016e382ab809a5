// SPDX-License-Identifier: Apache-2.0
import { isSameMinor, parseVersion, snapshotGate } from '@operator-parts/etcd';
import type { Assessment, MemberView } from '../assessment.ts';
import { hasJustStarted } from '../member-health.ts';
import { later, type Proposal, soon, takeAll, waitFor } from '../proposal.ts';
import { membersNamed } from '../sentence.ts';
import type { UpgradePath } from './upgrade-path.ts';

/**
 * Entries written per reconciliation: a few if the snapshot count is lowered, many if etcd's own count must be reached (100,000 on 3.5).
 */
const fewEntries = 16;
const manyEntries = 10_000;

/**
 * Before an upgrade to the next minor, each member must have taken a raft snapshot while running the present minor, because the next minor
 * cannot read log entries of older versions (operator rule 3).
 */
export function gateOnSnapshots(assessment: Assessment, { running, target }: UpgradePath): Proposal | undefined {
  const { oldest, newest } = running;
  if (!isSameMinor(oldest, newest) || !snapshotGate(oldest, target).needed) return undefined;
  const bootstrapped = parseVersion(assessment.observation.cluster.bootstrapVersion ?? '');
  if (bootstrapped && isSameMinor(bootstrapped, oldest)) return undefined;
  return takeSnapshots(
    assessment,
    (names) => `Waiting for ${names} to take a raft snapshot before the upgrade to ${assessment.desired.version}.`,
  );
}

/** After an upgrade to the next minor, the low snapshot count is needed only until every member has taken a snapshot. */
export function restoreSnapshotCount(assessment: Assessment): Proposal | undefined {
  const lowered = assessment.voters.filter(({ pod }) => pod && pod.snapshotCount !== '');
  if (lowered.length === 0) return undefined;
  const pending = takeSnapshots(
    assessment,
    (names) => `Waiting for ${names} to take a raft snapshot, which must exist before an upgrade to the next minor.`,
  );
  if (pending) return pending;
  return takeAll(
    lowered.map(({ pod, name }) => ({
      step: { do: 'setSnapshotCount', pod: name, uid: pod?.uid ?? '', snapshotCount: '' },
      reason: `Resetting the snapshot count of pod/${name} to etcd's default: the raft snapshot has been taken. The pod uses the new value from its next restart.`,
    })),
  );
}

/**
 * Undefined once every voter is known to have taken a snapshot. If a member does not report how many snapshots it has taken, the operator
 * waits, because otherwise it would write entries forever.
 */
function takeSnapshots({ voters, now }: Assessment, describe: (names: string) => string): Proposal | undefined {
  const unproven = voters.filter((view) => !snapshotsOf(view));
  if (unproven.length === 0) return undefined;
  const reason = describe(membersNamed(unproven.map((view) => view.name)));
  const unreachable = unproven.find((view) => snapshotsOf(view) === undefined);
  if (unreachable)
    return waitFor(
      `${reason} The number of raft snapshots of member ${unreachable.name} cannot be read from its metrics port. Check that the operator can reach that port.`,
      hasJustStarted(unreachable, now) ? soon : later,
    );
  const isLowered = unproven.every(({ pod }) => pod?.snapshotCount !== '');
  const entries = isLowered ? fewEntries : manyEntries;
  return { steps: [{ step: { do: 'nudgeSnapshot', entries }, reason }], waits: [{ reason, retryAfter: soon }] };
}

function snapshotsOf({ answer }: MemberView): number | undefined {
  return answer?.kind === 'status' ? answer.raftSnapshots : undefined;
}
