// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { replacedPodFields } from './pod-fields.ts';

/**
 * The parts of a spec that only a new pod can have. What the operator itself adds to a pod is left out on purpose: a new release of the
 * operator must not restart members.
 */
const replacedFields = [...replacedPodFields, 'TLS'] as const;

function fieldOf({ pod, TLS }: EtcdClusterSpec, field: (typeof replacedFields)[number]): unknown {
  return field === 'TLS' ? TLS?.static : pod?.[field];
}

/** A short digest per field, as JSON, for an annotation of the pod. Fields that are absent, empty or false do not appear. */
export function templateDigest(spec: EtcdClusterSpec): string {
  const entries = replacedFields.flatMap((field) => {
    const value = fieldOf(spec, field);
    return isEmpty(value) ? [] : [[field, digest(value)]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** The digest of a pod in which only the resources were changed to those of the spec. */
export function withResourcesOf(annotation: string, spec: EtcdClusterSpec): string {
  const { resources: _old, ...rest } = parse(annotation);
  const wanted = parse(templateDigest(spec))['resources'];
  return JSON.stringify(wanted === undefined ? rest : { ...rest, resources: wanted });
}

/** Names of the fields in which a pod's digest differs from that of the spec. */
export function differingFields(annotation: string, spec: EtcdClusterSpec): readonly string[] {
  const had = parse(annotation);
  const wants = parse(templateDigest(spec));
  return replacedFields.filter((field) => had[field] !== wants[field]);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex').slice(0, 12);
}

/** JSON with sorted keys, so that the order in which fields were written does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
