// SPDX-License-Identifier: Apache-2.0

/**
 * The one gate that every step passes which can destroy data or take a vote: removing a member as dead, deleting a pod or a
 * volume that may hold data, bootstrapping, isolating, restoring. Each kind of step has a list of named objections; each
 * objection looks at the evidence and can say no by itself. What is unknown objects where it would matter
 * (safety rules 13 to 15). Pure: the caller gathers the facts, and decides what to do instead.
 */
export function objectionsTo<K extends keyof Subjects>(action: K, subject: Subjects[K]): readonly Objection[] {
  return Object.entries(checks[action]).flatMap(([name, check]) => {
    const evidence = check(subject);
    return evidence === undefined ? [] : [{ name, evidence }];
  });
}

/** Why a step must not be taken now. */
export interface Objection {
  /** Stable, for tests, logs and documentation. */
  readonly name: string;
  /** What speaks against it, in words for a person. */
  readonly evidence: string;
}

/** What each kind of step is judged by. */
export interface Subjects {
  readonly removeDeadMember: DeadMember;
}

/** One thing that speaks for a member being dead. Two pieces count as independent if they come from different sources. */
export interface Evidence {
  readonly source: 'operator' | 'kubernetes' | 'peers' | 'etcd';
  readonly what: string;
}

/** A member that is to be removed because it is taken for dead. */
export interface DeadMember {
  readonly evidence: readonly Evidence[];
  /** True if its pod is Ready, and its node is, too, or cannot be asked. */
  readonly isReady: boolean;
  /** Members that report a working connection to it. */
  readonly activePeers: readonly string[];
}

type Checks = { readonly [K in keyof Subjects]: Readonly<Record<string, (subject: Subjects[K]) => string | undefined>> };

const checks: Checks = {
  removeDeadMember: {
    PodReady: ({ isReady }) => (isReady ? 'its pod is Ready' : undefined),
    ActivePeer: ({ activePeers }) =>
      activePeers.length > 0 ? `${activePeers.join(' and ')} reports a working connection to it` : undefined,
    SingleEvidence: ({ evidence }) =>
      new Set(evidence.map(({ source }) => source)).size < 2
        ? `only one piece of evidence: ${evidence.map(({ what }) => what).join(', ') || 'none'}`
        : undefined,
  },
};
