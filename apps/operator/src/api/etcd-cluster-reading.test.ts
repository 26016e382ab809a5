// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusterWith } from '../testing/api-server-scene.ts';
import type { EtcdCluster } from './etcd-cluster.ts';
import { readCluster } from './etcd-cluster-reading.ts';

const stored = (spec: unknown, status?: unknown) =>
  ({ ...clusterWith('c', spec), ...(status !== undefined && { status }) }) as EtcdCluster;

describe('objects that were stored before there was a schema', () => {
  test('one that is as it should be is taken as it is', () => {
    const cluster = stored({ size: 3, pod: null, somethingOld: [1] }, { phase: 'Running', backupServiceStatus: {} });
    const reading = readCluster(cluster);
    expect(reading.cluster).toBe(cluster);
    expect(reading.typeErrors).toEqual([]);
    expect(readCluster(cluster)).toBe(reading);
  });

  test('[4] nulls count as absent', () => {
    const { cluster, typeErrors } = readCluster(
      stored({ size: 3, version: null, pod: { labels: null, etcdEnv: null } }),
    );
    expect(typeErrors).toEqual([]);
    expect(cluster.spec).toEqual({ size: 3, pod: {} });
  });

  test.each<[unknown, readonly string[]]>([
    [undefined, ['spec must be an object']],
    ['three members, please', ['spec must be an object']],
    [{}, ['spec.size is required']],
    [{ size: '3' }, ['spec.size must be a number']],
    [{ size: 3, version: 3.6 }, ['spec.version must be a string']],
    [{ size: 3, pod: [] }, ['spec.pod must be an object']],
    [{ size: 3, pod: { labels: { team: 1 } } }, ['spec.pod.labels.team must be a string']],
    [
      { size: 3, pod: { etcdEnv: [{ name: 7 }, 'x'] } },
      ['spec.pod.etcdEnv[0].name must be a string', 'spec.pod.etcdEnv[1] must be an object'],
    ],
    [{ size: 3, TLS: { static: 'yes' } }, ['spec.TLS.static must be an object']],
    [{ size: 3, paused: 'no' }, ['spec.paused must be true or false']],
    [
      { size: 3, pod: { resources: { limits: { cpu: true } } } },
      ['spec.pod.resources.limits.cpu must be a number or a string'],
    ],
  ])('[9] %j is told in words', (spec, expected) => {
    expect(readCluster(stored(spec)).typeErrors).toEqual(expected);
  });

  test('what can be read of such a spec is kept, what cannot is left out', () => {
    const { cluster } = readCluster(stored({ size: 'x', paused: true, pod: { labels: 1 }, old: 1 }));
    expect(cluster.spec).toEqual({ paused: true, old: 1 });
    expect(readCluster(cluster).typeErrors).toEqual([
      'spec.size must be a number',
      'spec.pod.labels must be an object',
    ]);
  });

  test('a status that cannot be read does not cost the identity', () => {
    const { cluster, typeErrors } = readCluster(
      stored({ size: 3 }, { clusterID: 'abc', conditions: 'fine', size: '3' }),
    );
    expect(typeErrors).toEqual([]);
    expect(cluster.status).toEqual({ clusterID: 'abc' });
  });

  test('whatever is stored can be read, by its type', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
        const { cluster } = readCluster(stored(spec, status));
        expect(['number', 'undefined']).toContain(typeof cluster.spec.size);
        expect(['object', 'undefined']).toContain(typeof cluster.status);
      }),
      { seed: 4, numRuns: 300 },
    );
  });
});
