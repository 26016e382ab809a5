// SPDX-License-Identifier: Apache-2.0

/** `now`: clients are not served, or data is at risk. `soon`: it gets worse by itself, or a person was asked for. `later`: worth knowing. */
export type Urgency = 'now' | 'soon' | 'later';

/** One thing that is wrong with one object. */
export interface Finding {
  readonly urgency: Urgency;
  /** As it can be pasted behind `kubectl get -n NAMESPACE`, such as `etcdcluster/shop`. */
  readonly object: string;
  readonly namespace: string;
  /** What is the case: a condition and its reason, or a short sentence. */
  readonly what: string;
  readonly why: string;
  /** What to do about it. */
  readonly todo: string;
}

const order: readonly Urgency[] = ['now', 'soon', 'later'];

/** The most urgent first; among equals as they were found, which is the order of their causes. */
export function mostUrgentFirst(findings: readonly Finding[]): readonly Finding[] {
  return order.flatMap((urgency) => findings.filter((finding) => finding.urgency === urgency));
}
