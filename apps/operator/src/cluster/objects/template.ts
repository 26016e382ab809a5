// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';

/**
 * The parts of a spec that a pod can follow only by being made anew. What the operator adds by itself is left out on purpose:
 * a new release of the operator must not restart anybody's members.
 */
const replacedFields = {
  affinity: ({ pod }) => pod?.affinity,
  antiAffinity: ({ pod }) => pod?.antiAffinity || undefined,
  nodeSelector: ({ pod }) => pod?.nodeSelector,
  tolerations: ({ pod }) => pod?.tolerations,
  topologySpreadConstraints: ({ pod }) => pod?.topologySpreadConstraints,
  resources: ({ pod }) => pod?.resources,
  etcdEnv: ({ pod }) => pod?.etcdEnv,
  securityContext: ({ pod }) => pod?.securityContext,
  containerSecurityContext: ({ pod }) => pod?.containerSecurityContext,
  priorityClassName: ({ pod }) => pod?.priorityClassName,
  tmpfs: ({ pod }) => pod?.tmpfs || undefined,
  TLS: ({ TLS }) => TLS?.static,
} as const satisfies Readonly<Record<string, (spec: EtcdClusterSpec) => unknown>>;

/** A short digest a field, as JSON, for a pod's annotation. Fields that are absent or empty do not appear. */
export function templateDigest(spec: EtcdClusterSpec): string {
  const entries = Object.entries(replacedFields).flatMap(([field, read]) => {
    const value = read(spec);
    return isEmpty(value) ? [] : [[field, digest(value)]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** A pod's digest after its resources alone have followed the spec. */
export function withResourcesOf(annotation: string, spec: EtcdClusterSpec): string {
  const { resources: _old, ...rest } = parse(annotation);
  const wanted = parse(templateDigest(spec))['resources'];
  return JSON.stringify(wanted === undefined ? rest : { ...rest, resources: wanted });
}

/** Names of the fields in which a pod's digest differs from what the spec asks for. */
export function differingFields(annotation: string, spec: EtcdClusterSpec): readonly string[] {
  const had = parse(annotation);
  const wants = parse(templateDigest(spec));
  return Object.keys(replacedFields).filter((field) => had[field] !== wants[field]);
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
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex').slice(0, 12);
}

/** JSON with sorted keys: the order in which somebody wrote the fields does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
