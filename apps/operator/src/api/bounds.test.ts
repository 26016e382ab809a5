// SPDX-License-Identifier: Apache-2.0
import { list, map, object, string } from '@operator-parts/crd';
import { describe, expect, test } from 'vitest';
import { bounded, builtIn } from './bounds.ts';
import { etcdBackups } from './etcd-backup.ts';
import { etcdClusters } from './etcd-cluster.ts';
import { etcdRestores } from './etcd-restore.ts';
import { unboundedIn } from './testing/unbounded.ts';

/** The API server checks the values of these fields against the served kind before any other validation. */
const ofTheServer = ['apiVersion', 'kind'];

/**
 * Parts of the schema that keep unknown fields, because the CRDs of CoreOS had no schema: objects that were written for CoreOS or stored by
 * it may have any fields, and must keep them. The parts of the schema that CoreOS did not have keep no unknown fields.
 */
const coreOSSpec = ['', '.pod', '.TLS', '.TLS.static', '.TLS.static.member'];
const coreOSSources = ['spec.s3', 'spec.abs', 'spec.gcs', 'spec.oss'];
const open: Readonly<Record<string, readonly string[]>> = {
  EtcdCluster: [...coreOSSpec.map((path) => `spec${path}`), 'status', 'status.conditions[]', 'status.members'],
  EtcdBackup: ['spec', 'spec.backupPolicy', ...coreOSSources, 'status', 'status.conditions[]'],
  EtcdRestore: [
    ...['spec', 'spec.etcdCluster', ...coreOSSources, 'status', 'status.conditions[]'],
    // The spec of an EtcdCluster, which users copy into an EtcdRestore.
    ...coreOSSpec.map((path) => `spec.clusterSpec${path}`),
  ],
};

describe.each([etcdClusters, etcdBackups, etcdRestores])('the schema of $kind', ({ kind, schema }) => {
  const found = unboundedIn(schema);

  test('bounds every string, list and map; a new field without a bound is named here', () => {
    expect(found.values).toEqual(ofTheServer);
  });

  test("keeps unknown fields in CoreOS's objects alone", () => {
    expect([...found.open].sort()).toEqual([...(open[kind] ?? [])].sort());
  });
});

describe('what is found', () => {
  const paths = (schema: Parameters<typeof bounded>[0]) => unboundedIn(schema.structural).values;

  test('a string, a list, a map, and those inside of them', () => {
    expect(paths(object({ a: string(), b: list(string({ maxLength: 1 })), c: map(string()) }))).toEqual([
      'a',
      'b',
      'c',
      'c[*]',
    ]);
  });

  test('a field that is open', () => {
    const schema = object({ a: object({}, { preserveUnknownFields: true }) });
    expect(unboundedIn(schema.structural).open).toEqual(['a']);
  });

  test('nothing after all of it got a bound, and what had one keeps it', () => {
    const schema = bounded(object({ a: string({ maxLength: 7 }), b: map(list(string())) }));
    expect(paths(schema)).toEqual([]);
    expect(schema.structural.properties?.['a']).toEqual({ type: 'string', maxLength: 7 });
  });

  test('nothing in a built-in type', () => {
    expect(paths(builtIn('Affinity'))).toEqual([]);
    expect(paths(builtIn('PersistentVolumeClaimSpec'))).toEqual([]);
    expect(builtIn('EnvVar', { longest: { name: 5 } }).structural.properties?.['name']).toMatchObject({ maxLength: 5 });
  });
});
