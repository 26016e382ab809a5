// SPDX-License-Identifier: Apache-2.0
import type { RestoreObservation, SourceFacts, TargetFacts } from '../observation.ts';

/**
 * The phase of a restore. It is read only from what has been written so far, so a process that takes over after a crash finds the same
 * phase. The order is that of operator rule 4.
 */
export type RestorePhase =
  /** The restore has ended; only objects to clean up may still exist. */
  | { readonly kind: 'ended'; readonly how: 'succeeded' | 'failed' }
  /** Reads the source. Nothing has been changed. */
  | { readonly kind: 'verifying' }
  /** The source is valid, or will be read during the transfer into a cluster that does not exist. Nothing has been changed. */
  | { readonly kind: 'preparing'; readonly source: SourceFacts }
  /** The EtcdCluster has the restore annotation. The new incarnation has no cluster ID yet, and the restore can still be rolled back. */
  | { readonly kind: 'seeding'; readonly source: SourceFacts; readonly target: TargetFacts }
  /**
   * The seed (the pod of the first member) or its volume has the cluster ID. By this ID the etcd-operator knows the new incarnation, and it
   * already manages it. Only the record on the EtcdCluster is missing.
   */
  | { readonly kind: 'settled'; readonly target: TargetFacts }
  /** The new incarnation has a cluster ID. The etcd-operator manages it, and the restore can no longer be rolled back. */
  | { readonly kind: 'growing'; readonly target: TargetFacts }
  /** The restore failed before the new incarnation had a cluster ID. Its changes are being rolled back. */
  | { readonly kind: 'rollingBack'; readonly failure: string; readonly target: TargetFacts | undefined };

/** Determines the phase. Every observation has exactly one. */
export function phaseOf(seen: RestoreObservation): RestorePhase {
  const { restore, cluster } = seen;
  if (restore.ended) return { kind: 'ended', how: restore.ended };
  const marked = cluster?.marker?.uid === restore.uid ? cluster : undefined;
  // `restoredBy` is recorded together with the cluster ID, so that a lost status does not lead to a second restore.
  if (cluster && cluster.restoredBy === restore.uid && cluster.clusterId !== '')
    return marked ? { kind: 'growing', target: marked } : { kind: 'ended', how: 'succeeded' };
  if (marked && isRaised(marked) && (bearsIdentity(seen, marked) || isKnown(marked)))
    return { kind: 'settled', target: marked };
  const failure = failureOf(seen, marked);
  if (failure !== undefined) return { kind: 'rollingBack', failure, target: marked };
  if (!restore.source) return { kind: 'verifying' };
  if (marked) return { kind: 'seeding', source: restore.source, target: marked };
  // A user has created the EtcdCluster meanwhile. Its data could be lost, so the source is read first.
  return cluster && isPending(restore.source) && !restore.survivor
    ? { kind: 'verifying' }
    : { kind: 'preparing', source: restore.source };
}

/** True if the source has not been read to its end yet. */
export function isPending({ verified }: SourceFacts): boolean {
  return verified === 'Pending';
}

/** Why this attempt has failed; undefined if it may continue. */
function failureOf({ restore }: RestoreObservation, marked: TargetFacts | undefined): string | undefined {
  if (restore.failure !== undefined) return restore.failure;
  if (restore.deleting) return 'the EtcdRestore was deleted';
  // The restore has begun and its annotation was removed by hand: the cluster is not created a second time.
  if (!marked && restore.startedAt > 0) return 'the EtcdCluster was deleted, or its restore annotation was removed';
  if (marked && !isRaised(marked)) return 'the incarnation of the EtcdCluster was changed by another client';
  // The source was verified for another spec: the changes are rolled back, and the restore begins again.
  return marked && !restore.source ? 'the spec of the EtcdRestore has changed' : undefined;
}

/**
 * True if the seed or its volume has the cluster ID. The volume gets the ID first. From then on the etcd-operator knows the new
 * incarnation, even if the pod is lost.
 */
function bearsIdentity({ seed, volumes }: RestoreObservation, { incarnation }: TargetFacts): boolean {
  return seed?.isIdentified || volumes.some((volume) => volume.incarnation === incarnation && volume.isIdentified);
}

/** True if the etcd-operator has recorded the ID of the new incarnation, which it knows from the seed. */
function isKnown({ marker, clusterId }: TargetFacts): boolean {
  return clusterId !== '' && clusterId !== marker?.from?.clusterId;
}

/**
 * True if the new incarnation differs from the previous one: no object of the previous incarnation may be mistaken for an object of the new
 * one.
 */
export function isRaised({ marker, incarnation }: TargetFacts): boolean {
  return !marker?.from || incarnation > marker.from.incarnation;
}
