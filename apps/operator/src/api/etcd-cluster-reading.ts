// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@etcd-operator/crd';
import { type EtcdCluster, etcdClusters } from './etcd-cluster.ts';
import { misfitsOf, withoutNulls } from './misfits.ts';

/** A stored object, made safe to read by its type. */
export interface ClusterReading {
  /** What was stored, without the parts that are not of their type. */
  readonly cluster: EtcdCluster;
  /** Why the spec cannot be followed, in sentences; empty if all of it is of its type. */
  readonly misfits: readonly string[];
}

/** Objects of caches do not change: each is looked through once. */
const known = new WeakMap<EtcdCluster, ClusterReading>();

/**
 * Reads an object that may have been stored before its kind had a schema, and so may hold anything. Fields with the value null count as
 * absent. A field of the spec with the wrong type is left out and reported; in the status, which the operator writes again, it is left out.
 * Limits of values are not checked here. Reading what was read gives the same.
 */
export function readCluster(stored: EtcdCluster): ClusterReading {
  const before = known.get(stored);
  if (before) return before;
  const reading = read(stored);
  known.set(stored, reading);
  // What is missing from a reading is known from what was stored.
  known.set(reading.cluster, reading);
  return reading;
}

function read(stored: EtcdCluster): ClusterReading {
  const { spec: specSchema = {}, status: statusSchema = {} } = etcdClusters.schema.properties ?? {};
  const status: unknown = stored.status;
  const isStatusFine = status === undefined || misfitsOf(statusSchema, status, 'status').length === 0;
  const isSpecFine = misfitsOf(specSchema, stored.spec, 'spec').length === 0;
  if (isSpecFine && isStatusFine) return { cluster: stored, misfits: [] };
  const spec: unknown = withoutNulls(stored.spec);
  const { status: _, ...rest } = stored;
  const readableStatus = isStatusFine ? status : fittingFields(statusSchema, status);
  const cluster = {
    ...rest,
    spec: fittingFields(specSchema, spec),
    ...(readableStatus !== undefined && { status: readableStatus }),
  };
  return { cluster: cluster as unknown as EtcdCluster, misfits: misfitsOf(specSchema, spec, 'spec') };
}

/** The fields that are of their type; none of something that is no object at all. */
function fittingFields(schema: StructuralSchema, value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return {};
  const fits = ([name, field]: [string, unknown]) => {
    const wanted = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    return !wanted || misfitsOf(wanted, field, name).length === 0;
  };
  return Object.fromEntries(Object.entries(value).filter(fits));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
