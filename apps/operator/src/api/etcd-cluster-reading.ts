// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';
import { type EtcdCluster, etcdClusters } from './etcd-cluster.ts';
import { typeErrorsOf, withoutNulls } from './type-errors.ts';

/** A stored object that code can read safely, because every value has the type of its schema. */
export interface ClusterReading {
  /** The stored object without the values of a wrong type. */
  readonly cluster: EtcdCluster;
  /** Sentences about values of the spec with a wrong type; empty if there are none. */
  readonly typeErrors: readonly string[];
}

/** Objects in caches do not change, so each is checked once. */
const known = new WeakMap<EtcdCluster, ClusterReading>();

/**
 * Reads an object that may have been stored before its kind had a schema, and so may contain anything. Fields with the value null count as
 * absent. A spec field of a wrong type is removed and reported. A status field of a wrong type is only removed, because the operator writes
 * the status again. Limits of values are not checked. Reading the result again gives the same result.
 */
export function readCluster(stored: EtcdCluster): ClusterReading {
  const before = known.get(stored);
  if (before) return before;
  const reading = read(stored);
  known.set(stored, reading);
  // The result is cached under its own key as well, so that reading it again still reports what was removed.
  known.set(reading.cluster, reading);
  return reading;
}

function read(stored: EtcdCluster): ClusterReading {
  const { spec: specSchema = {}, status: statusSchema = {} } = etcdClusters.schema.properties ?? {};
  const status: unknown = stored.status;
  const isStatusFine = status === undefined || typeErrorsOf(statusSchema, status, 'status').length === 0;
  const isSpecFine = typeErrorsOf(specSchema, stored.spec, 'spec').length === 0;
  if (isSpecFine && isStatusFine) return { cluster: stored, typeErrors: [] };
  const spec: unknown = withoutNulls(stored.spec);
  const { status: _, ...rest } = stored;
  const readableStatus = isStatusFine ? status : fittingFields(statusSchema, status);
  const cluster = {
    ...rest,
    spec: fittingFields(specSchema, spec),
    ...(readableStatus !== undefined && { status: readableStatus }),
  };
  return { cluster: cluster as unknown as EtcdCluster, typeErrors: typeErrorsOf(specSchema, spec, 'spec') };
}

/** The fields that have the type of their schema; none if the value is not an object. */
function fittingFields(schema: StructuralSchema, value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return {};
  const fits = ([name, field]: [string, unknown]) => {
    const wanted = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    return !wanted || typeErrorsOf(wanted, field, name).length === 0;
  };
  return Object.fromEntries(Object.entries(value).filter(fits));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
