// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { differingFields, templateDigest, withResourcesOf } from './template.ts';

const spec = (pod: NonNullable<EtcdClusterSpec['pod']>, more: Partial<EtcdClusterSpec> = {}): EtcdClusterSpec => ({
  size: 3,
  pod,
  ...more,
});

describe('[65] what a pod can follow only by being recreated', () => {
  test.each<[string, EtcdClusterSpec]>([
    ['affinity', spec({ affinity: { nodeAffinity: {} } })],
    ['nodeSelector', spec({ nodeSelector: { a: 'b' } })],
    ['tolerations', spec({ tolerations: [{ operator: 'Exists' }] })],
    ['resources', spec({ resources: { limits: { cpu: '1' } } })],
    ['etcdEnv', spec({ etcdEnv: [{ name: 'ETCD_LOG_LEVEL', value: 'debug' }] })],
    ['securityContext', spec({ securityContext: { runAsUser: 1 } })],
    ['containerSecurityContext', spec({ containerSecurityContext: { privileged: false } })],
    ['priorityClassName', spec({ priorityClassName: 'x' })],
    ['tmpfs', spec({ tmpfs: true })],
    ['antiAffinity', spec({ antiAffinity: true })],
    [
      'topologySpreadConstraints',
      spec({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'x', whenUnsatisfiable: 'DoNotSchedule' }] }),
    ],
    ['TLS', spec({}, { TLS: { static: { member: { peerSecret: 'x' } } } })],
  ])('%s', (field, changed) => {
    expect(differingFields(templateDigest(spec({})), changed)).toEqual([field]);
    expect(differingFields(templateDigest(changed), spec({}))).toEqual([field]);
    expect(differingFields(templateDigest(changed), changed)).toEqual([]);
  });

  test.each<[string, EtcdClusterSpec]>([
    ['labels', spec({ labels: { a: 'b' } })],
    ['annotations', spec({ annotations: { a: 'b' } })],
    ['size', { size: 5, pod: {} }],
    ['version', spec({}, { version: '3.5.35' })],
    ['an empty object', spec({ nodeSelector: {}, tolerations: [], resources: {} })],
    ['what is false', spec({ antiAffinity: false, tmpfs: false })],
  ])('%s is none of them', (_what, changed) => {
    expect(differingFields(templateDigest(spec({})), changed)).toEqual([]);
  });

  test('the order in which fields were written does not matter', () => {
    const one = spec({ resources: { limits: { cpu: '1', memory: '1Gi' } } });
    const other = spec({ resources: { limits: { memory: '1Gi', cpu: '1' } } });
    expect(templateDigest(one)).toBe(templateDigest(other));
  });

  test.each(['', 'nonsense', '[]', 'null', '"x"'])('a digest that cannot be read (%j) is an empty one', (text) => {
    expect(differingFields(text, spec({}))).toEqual([]);
    expect(differingFields(text, spec({ priorityClassName: 'x' }))).toEqual(['priorityClassName']);
  });
});

describe('after a resize', () => {
  const before = spec({ resources: { limits: { cpu: '1' } }, nodeSelector: { a: 'b' } });
  const after = spec({ resources: { limits: { cpu: '2' } }, nodeSelector: { a: 'c' } });

  test('only the resources count as followed', () => {
    expect(differingFields(withResourcesOf(templateDigest(before), after), after)).toEqual(['nodeSelector']);
  });

  test('resources that were taken away count too', () => {
    expect(
      differingFields(
        withResourcesOf(templateDigest(before), spec({ nodeSelector: { a: 'b' } })),
        spec({ nodeSelector: { a: 'b' } }),
      ),
    ).toEqual([]);
  });
});
