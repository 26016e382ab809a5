// SPDX-License-Identifier: Apache-2.0

/** Which objects an operator manages. */
export type Reach =
  /** Those of one namespace. */
  | { readonly kind: 'namespace' }
  /** Those of all namespaces; with `onlyAnnotated`, CoreOS's rule, only those annotated `clusterwide`. */
  | { readonly kind: 'cluster'; readonly onlyAnnotated: boolean };

/** Whether another operator claims an object: it holds its Lease, or a CoreOS operator holds its lock. */
export type Claim =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly by: string }
  /** The holder is gone, but not for long enough: it may only be restarted. */
  | { readonly kind: 'lapsed'; readonly by: string }
  /** The cache of the Leases is too old to tell. */
  | { readonly kind: 'unknown' };

/** What decides who is responsible for one object. */
export interface ScopeFacts {
  readonly reach: Reach;
  /** The namespace that this operator runs in. */
  readonly home: string;
  /** The scope annotation, if there is one. */
  readonly scope: string | undefined;
  /** The namespace of the cluster-wide operator that has marked the object as its own. */
  readonly markedBy: string | undefined;
  /** Of an operator of the object's namespace; a cluster-wide operator asks. */
  readonly claim: Claim;
  /** Of the other cluster-wide operator that has marked the object; a cluster-wide operator asks. */
  readonly markClaim: Claim;
  /** An operator has reported a status: it may still manage the object, because its cache may be behind. */
  readonly hasStatus: boolean;
  /** This operator has waited for another for so long that every operator that runs must have seen why. */
  readonly hasWaited: boolean;
}

export type Verdict =
  | { readonly kind: 'ours' }
  /** Ours once it is marked. */
  | { readonly kind: 'mark' }
  /** Another operator has come for it: everything about it ends here, then the mark goes. */
  | { readonly kind: 'release'; readonly to: string }
  /** The mark of an operator that no longer answers goes; then it is ours. */
  | { readonly kind: 'unmark' }
  /** Not decided yet; looked at again soon. */
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'others' }
  /** As far as this operator can see, no operator manages it. */
  | { readonly kind: 'nobody'; readonly why: string };

/**
 * Who is responsible for an object. Two operators never are. An operator of one namespace claims it by its Lease there; a cluster-wide
 * one leaves that namespace alone as long as the Lease is held. It marks what it manages, and the other one waits until the mark is gone.
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
    const why = 'its scope annotation assigns it to an operator started with -cluster-wide';
    return markedBy === undefined ? { kind: 'nobody', why } : { kind: 'others' };
  }
  if (isUnknown(scope)) return { kind: 'nobody', why: unknownScope(scope) };
  if (markedBy === undefined) return { kind: 'ours' };
  if (hasWaited) return { kind: 'unmark' };
  return { kind: 'wait', why: `waiting for the cluster-wide operator in namespace ${markedBy} to release it` };
}

function everywhere(facts: ScopeFacts, onlyAnnotated: boolean): Verdict {
  const { scope, claim } = facts;
  if (scope === 'clusterwide') return ofClusterWide(facts);
  if (isUnknown(scope)) return { kind: 'nobody', why: unknownScope(scope) };
  if (claim.kind === 'unknown')
    return { kind: 'wait', why: 'it is not known whether an operator runs in its namespace' };
  if (claim.kind === 'held')
    return facts.markedBy === facts.home ? { kind: 'release', to: claim.by } : { kind: 'others' };
  if (scope === 'namespaced') {
    return {
      kind: 'nobody',
      why: 'its scope annotation assigns it to an operator in its own namespace, but none runs there',
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

/** An operator of the namespace that had the object before it was annotated is given the time to see that. */
function ofClusterWide(facts: ScopeFacts): Verdict {
  const { claim, home, markedBy, hasStatus, hasWaited } = facts;
  if (claim.kind === 'held' && hasStatus && markedBy !== home && !hasWaited)
    return { kind: 'wait', why: `${claim.by} may not have seen the annotation yet` };
  return amongClusterWide(facts);
}

/** Of several cluster-wide operators, the one that has marked the object keeps it while it runs. */
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
      return { kind: 'wait', why: `the cluster-wide operator in namespace ${markedBy} may still manage it` };
  }
}

function isUnknown(scope: string | undefined): scope is string {
  return scope !== undefined && scope !== 'clusterwide' && scope !== 'namespaced';
}

function unknownScope(scope: string): string {
  return `its scope annotation is "${scope.slice(0, 63)}"; use clusterwide, namespaced, or no annotation`;
}
