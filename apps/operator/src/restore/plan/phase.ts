// SPDX-License-Identifier: Apache-2.0
import type { RestoreObservation, SourceFacts, TargetFacts } from '../observation.ts';

/**
 * Where a restore is, read from what has been written so far and from nothing else: so a process that takes over after a crash finds the
 * same. The order is that of operator rule 4.
 */
export type RestorePhase =
  /** Ended; only its traces may be left. */
  | { readonly kind: 'ended'; readonly how: 'succeeded' | 'failed' }
  /** Reads the source. Nothing has been touched. */
  | { readonly kind: 'verifying' }
  /** The source is sound, or will be read on its way into a cluster that does not exist. Nothing has been touched. */
  | { readonly kind: 'preparing'; readonly source: SourceFacts }
  /** The EtcdCluster is marked; the new incarnation has no identity yet, and the way back is open. */
  | { readonly kind: 'seeding'; readonly source: SourceFacts; readonly target: TargetFacts }
  /**
   * The seed or its volume bears the identity, by which the etcd-operator knows the new incarnation and runs it: only the record is
   * missing.
   */
  | { readonly kind: 'settled'; readonly target: TargetFacts }
  /** The new life has an identity; the etcd-operator runs it, and there is no way back. */
  | { readonly kind: 'growing'; readonly target: TargetFacts }
  /** It failed before that; what was there is put back. */
  | { readonly kind: 'rollingBack'; readonly failure: string; readonly target: TargetFacts | undefined };

/** Reads the phase. Total: every observation has exactly one. */
export function phaseOf(seen: RestoreObservation): RestorePhase {
  const { restore, cluster } = seen;
  if (restore.ended) return { kind: 'ended', how: restore.ended };
  const marked = cluster?.marker?.uid === restore.uid ? cluster : undefined;
  // Recorded together with the identity: a status that was lost must not make it happen twice.
  if (cluster && cluster.restoredBy === restore.uid && cluster.clusterId !== '')
    return marked ? { kind: 'growing', target: marked } : { kind: 'ended', how: 'succeeded' };
  if (marked && isRaised(marked) && (bearsIdentity(seen, marked) || isKnown(marked)))
    return { kind: 'settled', target: marked };
  const failure = failureOf(seen, marked);
  if (failure !== undefined) return { kind: 'rollingBack', failure, target: marked };
  if (!restore.source) return { kind: 'verifying' };
  if (marked) return { kind: 'seeding', source: restore.source, target: marked };
  // Somebody made the EtcdCluster meanwhile: there is something to lose, so the source is read first.
  return cluster && isPending(restore.source) && !restore.survivor
    ? { kind: 'verifying' }
    : { kind: 'preparing', source: restore.source };
}

/** True if nobody has read the source to its end yet. */
export function isPending({ verified }: SourceFacts): boolean {
  return verified === 'Pending';
}

/** Why this attempt has failed; undefined if it may go on. */
function failureOf({ restore }: RestoreObservation, marked: TargetFacts | undefined): string | undefined {
  if (restore.failure !== undefined) return restore.failure;
  if (restore.deleting) return 'the EtcdRestore was deleted';
  // The restore has begun and the mark was removed by hand: it is not created a second time.
  if (!marked && restore.startedAt > 0) return 'the EtcdCluster was deleted, or its restore annotation was removed';
  if (marked && !isRaised(marked)) return 'the incarnation of the EtcdCluster was changed by another client';
  // Verified for another spec: it is put back, and begins again.
  return marked && !restore.source ? 'the spec of the EtcdRestore has changed' : undefined;
}

/** The volume gets it first: from then on the etcd-operator knows the new incarnation, whatever becomes of the pod. */
function bearsIdentity({ seed, volumes }: RestoreObservation, { incarnation }: TargetFacts): boolean {
  return seed?.isIdentified || volumes.some((volume) => volume.incarnation === incarnation && volume.isIdentified);
}

/** True if the etcd-operator has written down the identity of the new incarnation, which it knows from the seed. */
function isKnown({ marker, clusterId }: TargetFacts): boolean {
  return clusterId !== '' && clusterId !== marker?.from?.clusterId;
}

/** True if the new incarnation is another than the one before: nothing of the old one may be taken for the new. */
export function isRaised({ marker, incarnation }: TargetFacts): boolean {
  return !marker?.from || incarnation > marker.from.incarnation;
}
