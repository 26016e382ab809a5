// SPDX-License-Identifier: Apache-2.0

/**
 * `now`: clients are not served, or data is at risk. `soon`: the problem grows, or the user must act. `later`:
 * information.
 */
export type Urgency = 'now' | 'soon' | 'later';

/** One problem of one object. */
export interface Finding {
  readonly urgency: Urgency;
  /** In the form for `kubectl get -n NAMESPACE`, such as `etcdcluster/shop`. */
  readonly object: string;
  readonly namespace: string;
  /** The problem: a condition and its reason, or a short sentence. */
  readonly what: string;
  readonly why: string;
  /** What to do about it. */
  readonly todo: string;
}

const order: readonly Urgency[] = ['now', 'soon', 'later'];

/** The most urgent first; otherwise in the order in which they were found, which is that of their causes. */
export function mostUrgentFirst(findings: readonly Finding[]): readonly Finding[] {
  return order.flatMap((urgency) => findings.filter((finding) => finding.urgency === urgency));
}
