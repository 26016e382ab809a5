// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import type { RestoreOrigin } from '../../api/restore-marker.ts';
import { type Desired, desiredOf } from '../../cluster/desired.ts';
import { judgePods } from '../../cluster/grants/pod-grants.ts';
import type { RestoreFacts, RestoreObservation, SourceFacts, TargetFacts } from '../observation.ts';
import { limitsOf } from './cluster-limits.ts';
import { whyUnfit } from './fit.ts';
import { specOfNewCluster } from './new-cluster.ts';
import { finish, patiently, userTimeout, wait } from './proposal.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';
import { whyNotRecoverable } from './survivor/recover.ts';
import { refuseExistingCluster } from './verify.ts';

/**
 * The source is valid, as far as is known. Checks whether it fits the cluster, and then sets the restore annotation, which is the first
 * change.
 */
export function prepare(seen: RestoreObservation, source: SourceFacts): RestorePlan {
  if (!seen.cluster) return prepareNew(seen, source);
  // The cluster was created meanwhile.
  return seen.restore.cloneOf === undefined
    ? prepareExisting(seen, source, seen.cluster)
    : refuseExistingCluster(seen.restore);
}

function prepareExisting(seen: RestoreObservation, source: SourceFacts, cluster: TargetFacts): RestorePlan {
  const { restore, pods, volumes } = seen;
  if (cluster.deleting) return wait('Preparing', 'the EtcdCluster is being deleted', 5_000);
  if (cluster.marker && !cluster.markIsOrphaned)
    return wait(
      'Preparing',
      `waiting for EtcdRestore ${cluster.marker.name} to finish; if it cannot finish, delete it`,
      5_000,
    );
  // The members may have been asked long ago. Since then the quorum may have returned, by itself or through another recovery.
  const needless = whyNotRecoverable(seen);
  if (needless) return needless;
  const { desired, limits, secretProblems } = cluster;
  if ('problems' in desired)
    return finish('Failed', `the spec of the EtcdCluster is invalid: ${desired.problems.join('; ')}`);
  if (secretProblems.length > 0)
    return awaitOthers(`the Secrets of the EtcdCluster cannot be used: ${secretProblems.join('; ')}`);
  const unfit = whyUnfit(source, restore, { exists: true, desired, limits });
  if (unfit) return finish('Failed', unfit);
  const incarnations = [...pods, ...volumes].map((item) => item.incarnation);
  const incarnation = Math.max(cluster.incarnation, cluster.usedIncarnation, ...incarnations) + 1;
  const from = previousIncarnation(cluster);
  const marker = { name: restore.name, uid: restore.uid, ...(from && { from }) };
  return marked(seen, { do: 'mark', marker, incarnation }, incarnation);
}

/**
 * The incarnation to return to if this restore fails. If the cluster still has the annotation of an EtcdRestore that no longer exists, and
 * the incarnation which that EtcdRestore began has no cluster ID, it is the incarnation before that one.
 */
function previousIncarnation(cluster: TargetFacts): RestoreOrigin | undefined {
  const { marker, incarnation, clusterId, revision, bootstrapVersion } = cluster;
  if (marker && clusterId === '') return marker.from;
  return {
    incarnation,
    clusterId,
    ...(revision > 0 && { revision }),
    ...(bootstrapVersion !== '' && { bootstrapVersion }),
  };
}

function prepareNew(seen: RestoreObservation, source: SourceFacts): RestorePlan {
  const { restore } = seen;
  const spec = specOfNewCluster(restore, source);
  if (!spec) return awaitOthers(`${unspecified(restore)}; or create the EtcdCluster`);
  const refusal = whyNotMade(seen, source, spec);
  if (refusal) return finish('Failed', refusal);
  const marker = { name: restore.name, uid: restore.uid };
  return marked(seen, { do: 'createCluster', marker, spec }, 1);
}

/**
 * Waits for objects of the user: objects that are applied together are created one after the other, and issuing a certificate takes a
 * while.
 */
function awaitOthers(reason: string): RestorePlan {
  const ended = finish(
    'Failed',
    `${reason}. The restore waited 10 minutes and has changed nothing. Correct the problem, then create another EtcdRestore`,
  );
  return patiently(
    wait(
      'Preparing',
      `${reason}. The restore waits up to 10 minutes for the problem to be corrected, and then fails; nothing is changed meanwhile`,
      2_000,
    ),
    userTimeout,
    ended,
  );
}

function unspecified({ clusterName }: RestoreFacts): string {
  return `EtcdCluster ${clusterName} does not exist, and the backup has no valid manifest with the spec of the cluster. Set spec.clusterSpec of the EtcdRestore`;
}

/**
 * Why an EtcdCluster that this restore created should not have been created, now that the source has been read: the manifest, from which
 * the spec was taken, may not belong to the source. Undefined if there is no objection.
 */
export function objectionToNewCluster(
  restore: RestoreFacts,
  source: SourceFacts,
  { limits }: TargetFacts,
  desired: Desired,
): string | undefined {
  if (!specOfNewCluster(restore, source)) return unspecified(restore);
  return whyUnfit(source, restore, { exists: false, desired, limits });
}

function whyNotMade(
  { restore, grants }: RestoreObservation,
  source: SourceFacts,
  spec: EtcdClusterSpec,
): string | undefined {
  const desired = desiredOf(restore.clusterName, spec);
  const problems = 'problems' in desired ? desired.problems : judgePods(restore.namespace, spec, grants).refused;
  if ('problems' in desired || problems.length > 0)
    return `the EtcdCluster cannot be created with this spec: ${problems.join('; ')}`;
  return whyUnfit(source, restore, { exists: false, desired, limits: limitsOf(spec) });
}

function purpose({ survivor, cloneOf }: RestoreFacts): string {
  if (cloneOf !== undefined) return `creating the cluster as a copy of EtcdCluster ${cloneOf},`;
  return survivor ? 'recovering the cluster from one of its members' : 'restoring the cluster from the backup';
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
      reason: 'adding a finalizer, so that deleting the EtcdRestore rolls back its changes',
    });
  }
  steps.push({ step, reason: `${purpose(restore)} as incarnation ${incarnation}` });
  return {
    steps,
    report: { phase: 'Isolating', reason: '', started: true, incarnation },
    requeueAfter: 20,
  };
}
