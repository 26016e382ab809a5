// SPDX-License-Identifier: Apache-2.0
import type { BackupReason } from '../../api/reasons.ts';
import { counted } from '../../counted.ts';
import type { ProofReport } from './proof-report.ts';

/** What the manifest of a backup says about it. Undefined: the backup has no matching manifest. */
export interface ExpectedProof {
  readonly revision: number | undefined;
  /** The etcd cluster ID that the backup was taken from. */
  readonly clusterId: string | undefined;
  /** The name of the only member that may exist. */
  readonly member: string;
}

/** A problem of a restored backup. */
export interface ProofProblem {
  readonly reason: BackupReason;
  readonly message: string;
}

/**
 * Compares the data that the restored etcd serves with the snapshot file, and both with what the manifest recorded when the backup was
 * made. Undefined if all match. No other code decides whether a restored backup is good.
 */
export function judgeProof(
  { file, served, clusterId, members }: ProofReport,
  expected: ExpectedProof,
): ProofProblem | undefined {
  if (expected.revision !== undefined && file.revision !== expected.revision)
    return problem(
      'RevisionDiffers',
      `the manifest gives revision ${expected.revision}, but the backup is at revision ${file.revision}`,
    );
  if (served.revision !== file.revision || served.compactRevision !== file.compactRevision)
    return problem(
      'RevisionDiffers',
      `the restored member is at revision ${served.revision} (compacted at ${served.compactRevision}), but the backup is at revision ${file.revision} (compacted at ${file.compactRevision})`,
    );
  if (served.keys !== file.keys)
    return problem(
      'KeyCountDiffers',
      `the restored member has ${served.keys} keys, but the backup has ${file.keys} keys`,
    );
  if (served.hash !== file.hash)
    return problem(
      'HashDiffers',
      `the HashKV hash at revision ${served.revision} is ${served.hash} in the restored member, but ${file.hash} in the backup`,
    );
  const others = members.filter((name) => name !== expected.member);
  if (others.length > 0 || members.length !== 1)
    return problem(
      'OldMembers',
      `the restored member lists ${counted(members.length, 'member')}, but only one member was expected; unexpected members: ${others.slice(0, 3).join(', ') || 'none'}`,
    );
  if (clusterId === expected.clusterId)
    return problem(
      'OldMembers',
      `the restored member still has the cluster ID ${clusterId} of the cluster that was backed up; a new cluster ID was expected`,
    );
  return undefined;
}

function problem(reason: BackupReason, message: string): ProofProblem {
  return { reason, message };
}
