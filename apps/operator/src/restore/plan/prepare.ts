// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import type { RestoreOrigin } from '../../api/restore-marker.ts';
import { type Desired, desiredOf } from '../../cluster/desired.ts';
import type { RestoreFacts, RestoreObservation, SourceFacts, TargetFacts } from '../observation.ts';
import { limitsOf } from './cluster-limits.ts';
import { whyUnfit } from './fit.ts';
import { specOfNewCluster } from './new-cluster.ts';
import { finish, wait } from './proposal.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

/**
 * The source is sound, as far as anybody knows: does it fit the cluster? Then the cluster is marked, which is the first thing
 * that is touched.
 */
export function prepare(seen: RestoreObservation, source: SourceFacts): RestorePlan {
  return seen.cluster ? prepareExisting(seen, source, seen.cluster) : prepareNew(seen, source);
}

function prepareExisting(seen: RestoreObservation, source: SourceFacts, cluster: TargetFacts): RestorePlan {
  const { restore, pods, volumes } = seen;
  if (cluster.deleting) return wait('Preparing', 'the EtcdCluster is being deleted', 5_000);
  if (cluster.marker && !cluster.markIsOrphaned)
    return wait('Preparing', `waits for EtcdRestore ${cluster.marker.name} to end`, 5_000);
  const { desired, limits, secretProblems } = cluster;
  if ('problems' in desired) return finish('Failed', `the EtcdCluster cannot run: ${desired.problems.join('; ')}`);
  if (secretProblems.length > 0) return finish('Failed', `the EtcdCluster cannot run: ${secretProblems.join('; ')}`);
  const unfit = whyUnfit(source, restore, { exists: true, desired, limits });
  if (unfit) return finish('Failed', unfit);
  const lives = [...pods, ...volumes].map((item) => item.incarnation);
  const incarnation = Math.max(cluster.incarnation, cluster.usedIncarnation, ...lives) + 1;
  const from = lifeBefore(cluster);
  const marker = { name: restore.name, uid: restore.uid, ...(from && { from }) };
  return marked(seen, { do: 'mark', marker, incarnation }, incarnation);
}

/** Of a mark that nobody will take off, what it says of the life before: the one that it began has no identity. */
function lifeBefore(cluster: TargetFacts): RestoreOrigin | undefined {
  const { marker, incarnation, clusterId, revision, bornVersion } = cluster;
  if (marker && clusterId === '') return marker.from;
  return { incarnation, clusterId, ...(revision > 0 && { revision }), ...(bornVersion !== '' && { bornVersion }) };
}

function prepareNew(seen: RestoreObservation, source: SourceFacts): RestorePlan {
  const { restore } = seen;
  const spec = specOfNewCluster(restore, source);
  if (!spec) return finish('Failed', unspecified(restore));
  const refusal = whyNotMade(seen, source, spec);
  if (refusal) return finish('Failed', refusal);
  const marker = { name: restore.name, uid: restore.uid };
  return marked(seen, { do: 'createCluster', marker, spec }, 1);
}

function unspecified({ clusterName }: RestoreFacts): string {
  return `there is no EtcdCluster ${clusterName}, and neither spec.clusterSpec nor a manifest of the backup says how to make one`;
}

/**
 * Why an EtcdCluster that this restore made should not have been made, now that the source has been read: its manifest may be
 * of other bytes. Undefined if all is well.
 */
export function whyMadeInVain(
  restore: RestoreFacts,
  source: SourceFacts,
  { limits }: TargetFacts,
  desired: Desired,
): string | undefined {
  if (!specOfNewCluster(restore, source)) return unspecified(restore);
  return whyUnfit(source, restore, { exists: false, desired, limits });
}

function whyNotMade({ restore }: RestoreObservation, source: SourceFacts, spec: EtcdClusterSpec): string | undefined {
  const desired = desiredOf(restore.clusterName, spec);
  if ('problems' in desired) return `the EtcdCluster could not run: ${desired.problems.join('; ')}`;
  return whyUnfit(source, restore, { exists: false, desired, limits: limitsOf(spec) });
}

function marked(
  { restore }: RestoreObservation,
  step: Extract<PlannedRestoreStep['step'], { do: 'mark' | 'createCluster' }>,
  incarnation: number,
): RestorePlan {
  const steps: PlannedRestoreStep[] = [];
  if (!restore.hasFinalizer) {
    steps.push({
      step: { do: 'addFinalizer' },
      reason: 'what is about to be done must be put back if this is deleted',
    });
  }
  steps.push({ step, reason: `incarnation ${incarnation} of the cluster is brought from the source` });
  return {
    steps,
    report: { phase: 'Fencing', reason: '', started: true, incarnation },
    lookAgainAfter: 20,
  };
}
