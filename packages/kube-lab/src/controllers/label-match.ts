// SPDX-License-Identifier: Apache-2.0
import type { LabelSelector } from '@etcd-operator/kube';

type Labels = Readonly<Record<string, string>>;

/** True if the labels fulfil every requirement. An empty selector matches everything, an absent one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  const expressions = selector.matchExpressions ?? [];
  return (
    matchesLabels(selector.matchLabels ?? {}, labels) &&
    expressions.every(({ key, operator, values = [] }) => matchesRequirement(labels, key, operator, values))
  );
}

/** True if all wanted labels are there with the wanted values. */
export function matchesLabels(wanted: Labels, labels: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** One requirement of a label or node selector. */
export function matchesRequirement(labels: Labels, key: string, operator: string, values: readonly string[]): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
