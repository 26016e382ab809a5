// SPDX-License-Identifier: Apache-2.0

/** Which objects an operator manages. */
export type Reach =
  /** The objects of one namespace. */
  | { readonly kind: 'namespace' }
  /** The objects of all namespaces. With `onlyAnnotated`, as in CoreOS, only those that are annotated `clusterwide`. */
  | { readonly kind: 'cluster'; readonly onlyAnnotated: boolean };

/** Whether another operator claims an object: an operator that holds its Lease, or a CoreOS operator that holds its lock. */
export type Claim =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly by: string }
  /** The holder stopped so recently that it may only be restarting. */
  | { readonly kind: 'lapsed'; readonly by: string }
  /** The cache of the Leases is too old to decide. */
  | { readonly kind: 'unknown' };

/** The facts that decide who manages an object. */
export interface ScopeFacts {
  readonly reach: Reach;
  /** The namespace that this operator runs in. */
  readonly home: string;
  /** The scope annotation, if any. */
  readonly scope: string | undefined;
  /**
   * The namespace of the cluster-wide operator that has marked the object, that is, written an annotation to show that it manages the
   * object.
   */
  readonly markedBy: string | undefined;
  /** The claim of an operator in the object's namespace. Only cluster-wide operators use it. */
  readonly claim: Claim;
  /** The claim of the other cluster-wide operator that has marked the object. Only cluster-wide operators use it. */
  readonly markClaim: Claim;
  /** An operator has written a status: it may still manage the object, because its cache may be stale. */
  readonly hasStatus: boolean;
  /** This operator has waited so long that every other running operator has seen why it must hand over the object. */
  readonly hasWaited: boolean;
}

export type Verdict =
  | { readonly kind: 'ours' }
  /** This operator manages the object after marking it. */
  | { readonly kind: 'mark' }
  /** Another operator claims the object: all work on it ends here, then the mark is removed. */
  | { readonly kind: 'release'; readonly to: string }
  /** The mark of an operator that no longer answers is removed; then this operator manages the object. */
  | { readonly kind: 'unmark' }
  /** Undecided; checked again soon. */
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'others' }
  /** No operator manages the object, as far as this operator knows. */
  | { readonly kind: 'nobody'; readonly why: string };

/**
 * Decides which operator manages an object, so that two operators never manage the same object. An operator of a single namespace claims
 * the objects of its namespace with its Lease. While this Lease is held, a cluster-wide operator does not manage objects of that namespace.
 * A cluster-wide operator marks the objects that it manages, and the operator of the namespace waits until the mark is removed.
 */
export function judge(facts: ScopeFacts): Verdict {
  switch (facts.reach.kind) {
    case 'namespace':
      return inOneNamespace(facts);
    case 'cluster':
      return everywhere(facts, facts.reach.onlyAnnotated);
  }
}

function inOneNamespace({ scope, markedBy, hasWaited }: ScopeFacts): Verdict {
  if (scope === 'clusterwide') {
    const why = "the object's scope annotation assigns it to an operator started with -cluster-wide";
    return markedBy === undefined ? { kind: 'nobody', why } : { kind: 'others' };
  }
  if (isUnknown(scope)) return { kind: 'nobody', why: unknownScope(scope) };
  if (markedBy === undefined) return { kind: 'ours' };
  if (hasWaited) return { kind: 'unmark' };
  return { kind: 'wait', why: `waiting for the cluster-wide operator in namespace ${markedBy} to release this object` };
}

function everywhere(facts: ScopeFacts, onlyAnnotated: boolean): Verdict {
  const { scope, claim } = facts;
  if (scope === 'clusterwide') return ofClusterWide(facts);
  if (isUnknown(scope)) return { kind: 'nobody', why: unknownScope(scope) };
  if (claim.kind === 'unknown')
    return { kind: 'wait', why: 'it is not known whether another operator runs in the namespace of this object' };
  if (claim.kind === 'held')
    return facts.markedBy === facts.home ? { kind: 'release', to: claim.by } : { kind: 'others' };
  if (scope === 'namespaced') {
    return {
      kind: 'nobody',
      why: "the object's scope annotation assigns it to an operator in the same namespace, but no operator runs there",
    };
  }
  if (onlyAnnotated)
    return {
      kind: 'nobody',
      why: 'this operator was started with -only-annotated, and the object has no scope annotation',
    };
  if (facts.markedBy === facts.home) return { kind: 'ours' };
  if (claim.kind === 'lapsed') return { kind: 'wait', why: `${claim.by} stopped a moment ago and may come back` };
  return amongClusterWide(facts);
}

/** If the operator of the namespace managed the object before the object was annotated, that operator gets time to see the annotation. */
function ofClusterWide(facts: ScopeFacts): Verdict {
  const { claim, home, markedBy, hasStatus, hasWaited } = facts;
  if (claim.kind === 'held' && hasStatus && markedBy !== home && !hasWaited)
    return { kind: 'wait', why: `${claim.by} may not have seen the scope annotation yet` };
  return amongClusterWide(facts);
}

/** Among several cluster-wide operators, the operator that has marked the object manages the object as long as that operator is running. */
function amongClusterWide({ home, markedBy, markClaim }: ScopeFacts): Verdict {
  if (markedBy === home) return { kind: 'ours' };
  if (markedBy === undefined) return { kind: 'mark' };
  switch (markClaim.kind) {
    case 'none':
      return { kind: 'mark' };
    case 'held':
      return { kind: 'others' };
    case 'lapsed':
    case 'unknown':
      return { kind: 'wait', why: `the cluster-wide operator in namespace ${markedBy} may still manage this object` };
  }
}

function isUnknown(scope: string | undefined): scope is string {
  return scope !== undefined && scope !== 'clusterwide' && scope !== 'namespaced';
}

function unknownScope(scope: string): string {
  return `the object's scope annotation is "${scope.slice(0, 63)}"; use clusterwide, namespaced, or no annotation`;
}
