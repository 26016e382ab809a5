// SPDX-License-Identifier: Apache-2.0
import { isSameMinor, parseVersion, snapshotGate } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { hasJustStarted } from './member-health.ts';
import { later, type Proposal, soon, takeAll, waitFor } from './proposal.ts';
import type { UpgradePath } from './upgrade-path.ts';

/** Entries a look: a handful where the snapshot count is lowered, many where etcd's own must be reached (100,000 on 3.5). */
const fewEntries = 16;
const manyEntries = 10_000;

/**
 * Before a minor step each member must have taken a raft snapshot since it runs the present minor: the next one cannot read
 * what older ones left in the log (operator rule 3).
 */
export function gateOnSnapshots(assessment: Assessment, { running, target }: UpgradePath): Proposal | undefined {
  const { oldest, newest } = running;
  if (!isSameMinor(oldest, newest) || !snapshotGate(oldest, target).needed) return undefined;
  const born = parseVersion(assessment.observation.cluster.bornVersion ?? '');
  if (born && isSameMinor(born, oldest)) return undefined;
  return takeSnapshots(
    assessment,
    (names) =>
      `the step to ${assessment.desired.version} waits until ${names} has taken a raft snapshot, so that no entry of an older version is left`,
  );
}

/** After a minor step the low snapshot count has done its work once every member has taken a snapshot. */
export function restoreSnapshotCount(assessment: Assessment): Proposal | undefined {
  const lowered = assessment.voters.filter(({ pod }) => pod && pod.snapshotCount !== '');
  if (lowered.length === 0) return undefined;
  const pending = takeSnapshots(
    assessment,
    (names) => `${names} takes a raft snapshot, so that the next minor can be reached`,
  );
  if (pending) return pending;
  return takeAll(
    lowered.map(({ pod, name }) => ({
      step: { do: 'setSnapshotCount', pod: name, uid: pod?.uid ?? '', snapshotCount: '' },
      reason: `${name} has taken its raft snapshot: etcd's own snapshot count applies again from its next restart`,
    })),
  );
}

/** Undefined once all are proven. A member that does not tell is waited for: entries written for it would never end. */
function takeSnapshots({ voters, now }: Assessment, describe: (names: string) => string): Proposal | undefined {
  const unproven = voters.filter((view) => !snapshotsOf(view));
  if (unproven.length === 0) return undefined;
  const reason = describe(unproven.map((view) => view.name).join(', '));
  const silent = unproven.find((view) => snapshotsOf(view) === undefined);
  if (silent)
    return waitFor(
      `${reason}; ${silent.name} does not tell how many it has taken`,
      hasJustStarted(silent, now) ? soon : later,
    );
  const isLowered = unproven.every(({ pod }) => pod?.snapshotCount !== '');
  const entries = isLowered ? fewEntries : manyEntries;
  return { steps: [{ step: { do: 'nudgeSnapshot', entries }, reason }], waits: [{ reason, lookAgainAfter: soon }] };
}

function snapshotsOf({ answer }: MemberView): number | undefined {
  return answer?.kind === 'status' ? answer.raftSnapshots : undefined;
}
