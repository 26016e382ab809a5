// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../api/etcd-cluster.ts';
import { type Desired, desiredOf } from './desired.ts';

function valid(spec: EtcdClusterSpec, name = 'example'): Desired {
  const desired = desiredOf(name, spec);
  if ('problems' in desired) throw new Error(desired.problems.join('; '));
  return desired;
}

function problems(spec: EtcdClusterSpec, name = 'example'): readonly string[] {
  const desired = desiredOf(name, spec);
  return 'problems' in desired ? desired.problems : [];
}

describe('[5] defaults', () => {
  test('repository and version are filled in, the spec is left as it is (checklist 6)', () => {
    const spec: EtcdClusterSpec = Object.freeze({ size: 3 });
    expect(valid(spec)).toEqual({
      size: 3,
      version: '3.6.16',
      repository: 'quay.io/coreos/etcd',
      image: 'quay.io/coreos/etcd:v3.6.16',
      storage: 'emptyDir',
      peerTLS: false,
      clientTLS: false,
      clusterDomain: '',
      podDisruptionBudget: true,
      updatePolicy: 'OnNextPod',
      replaceAfter: 120_000,
      quorumLoss: 'Manual',
      recoverAfter: 600_000,
      optionProblems: [],
    });
    expect(spec).toEqual({ size: 3 });
  });

  test.each(['3.5.35', 'v3.5.35', 'vvv3.5.35'])('%s is the version 3.5.35', (version) => {
    expect(valid({ size: 1, version })).toMatchObject({ version: '3.5.35', image: 'quay.io/coreos/etcd:v3.5.35' });
  });

  test('an image counts instead of repository and version, which other versions are looked for beside', () => {
    const image = `example.com:5000/etcd@sha256:${'a'.repeat(64)}`;
    expect(valid({ size: 1, version: '3.5.35', image })).toMatchObject({
      image,
      version: '3.5.35',
      repository: 'example.com:5000/etcd',
    });
  });

  test('an empty repository or version means the default', () => {
    expect(valid({ size: 1, repository: '', version: '' }).image).toBe('quay.io/coreos/etcd:v3.6.16');
  });

  test.each([
    [{}, 'emptyDir'],
    [{ tmpfs: true }, 'memory'],
    [{ persistentVolumeClaimSpec: {} }, 'claim'],
    [{ tmpfs: true, persistentVolumeClaimSpec: {} }, 'claim'],
  ] as const)('%j keeps data on %s', (pod, storage) => {
    expect(valid({ size: 1, pod }).storage).toBe(storage);
  });

  test.each([
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['250ms', 250],
  ])('replaceAfter %s', (replaceAfter, expected) => {
    expect(valid({ size: 1, pod: { replaceAfter } }).replaceAfter).toBe(expected);
  });

  test('operator rule 11: options that the version would ignore are named', () => {
    const pod = { etcdEnv: [{ name: 'ETCD_EXPERIMENTAL_CORRUPT_CHECK_TIME', value: '1h' }] };
    expect(valid({ size: 1, version: '3.7.3', pod }).optionProblems).toEqual([
      expect.stringContaining('ETCD_CORRUPT_CHECK_TIME'),
    ]);
    expect(valid({ size: 1, version: '3.5.35', pod }).optionProblems).toEqual([]);
  });
});

describe('[8] [9] [10] what is refused, in words', () => {
  test.each([0, -1, 8, 1.5, Number.NaN])('size %s', (size) => {
    expect(problems({ size })).toEqual([expect.stringContaining('between 1 and 7')]);
  });

  test.each(['latest', '3.5', 'three', '3.5.x'])('version %s', (version) => {
    expect(problems({ size: 3, version })).toEqual([expect.stringContaining('is not a valid version')]);
  });

  test('a name that leaves no room for those of members', () => {
    expect(problems({ size: 3 }, 'a'.repeat(53))).toEqual([expect.stringContaining('at most 52 are allowed')]);
    expect(problems({ size: 3 }, 'a'.repeat(52))).toEqual([]);
  });

  test.each(['app', 'etcd_cluster', 'etcd_anything'])('label %s', (label) => {
    expect(problems({ size: 3, pod: { labels: { [label]: 'x' } } })).toEqual([expect.stringContaining(label)]);
  });

  test.each(['ETCD_NAME', 'ETCD_INITIAL_CLUSTER_STATE', 'ETCD_MAX_LEARNERS', 'ETCD_CONFIG_FILE'])(
    'operator rule 11: %s',
    (name) => {
      expect(problems({ size: 3, pod: { etcdEnv: [{ name, value: 'x' }] } })).toEqual([expect.stringContaining(name)]);
    },
  );

  test('D1: an operator secret without a member secret, and the reverse', () => {
    expect(problems({ size: 3, TLS: { static: { operatorSecret: 'x' } } })).toEqual([
      'operator secret set but member serverSecret not set',
    ]);
    expect(problems({ size: 3, TLS: { static: { member: { serverSecret: 'x' } } } })).toEqual([
      'member serverSecret set but operator secret not set',
    ]);
    expect(problems({ size: 3, TLS: { static: { member: { peerSecret: 'x' } } } })).toEqual([]);
  });

  test.each(['365d', 'soon', '10', ''])('replaceAfter %j', (replaceAfter) => {
    expect(problems({ size: 3, pod: { replaceAfter } })).toEqual([expect.stringContaining('is not a valid duration')]);
  });

  test.each<[Partial<EtcdClusterSpec>, string]>([
    [{ image: 'example.com/etcd' }, 'with a tag or a digest'],
    [{ image: 'example.com/etcd:v3.6.16', version: '' }, 'needs spec.version'],
    [{ image: 'example.com/etcd:v3.6.16', repository: 'example.com/etcd' }, 'cannot be used together'],
    [{ service: { type: 'LoadBalancer' } }, 'needs TLS for clients'],
    [{ pod: { hostAliases: [{ ip: '::1', hostnames: ['example-a.example.ns.svc'] }] } }, 'names of members'],
    [{ pod: { hostAliases: [{ ip: '::1', hostnames: ['x.example.ns.svc.cluster.local'] }] } }, 'names of members'],
  ])('%j', (part, words) => {
    expect(problems({ size: 3, version: '3.6.16', ...part })).toEqual([expect.stringContaining(words)]);
  });

  test('names of others in hostAliases are not refused', () => {
    const hostnames = ['ldap.example.com', 'x.other.ns.svc', 'example.ns.svc'];
    expect(problems({ size: 3, pod: { hostAliases: [{ ip: '10.0.0.1', hostnames }] } })).toEqual([]);
  });

  test.each(['soon', '9s', ''])('recovery.after %j', (after) => {
    expect(problems({ size: 3, recovery: { after } })).toEqual([expect.stringContaining('of at least 10s')]);
    expect(valid({ size: 3, recovery: { quorumLoss: 'Automatic', after: '15m' } })).toMatchObject({
      quorumLoss: 'Automatic',
      recoverAfter: 900_000,
    });
  });

  test('several at once are all named', () => {
    expect(problems({ size: 0, version: 'x', pod: { labels: { app: 'x' } } })).toHaveLength(3);
  });
});

describe('operator rule 26: data in memory must fit the limit', () => {
  const pod = (memory: string | undefined, quota?: string) => ({
    tmpfs: true,
    ...(memory && { resources: { limits: { memory } } }),
    ...(quota && { etcdEnv: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: quota }] }),
  });

  test.each([
    ['4Gi', undefined, false],
    ['5Gi', undefined, true],
    ['2Gi', '536870912', true],
    ['1500Mi', '536870912', false],
    [undefined, undefined, true],
    ['4Gi', 'nonsense', false],
    ['4Gi', '0', false],
  ])('limit %s with quota %s: %s', (memory, quota, isFine) => {
    expect(problems({ size: 1, pod: pod(memory, quota) }).length === 0).toBe(isFine);
  });

  test('a volume makes the question pointless', () => {
    expect(problems({ size: 1, pod: { ...pod('1Gi'), persistentVolumeClaimSpec: {} } })).toEqual([]);
  });
});

describe('[28] no spec is too odd', () => {
  test('whatever is stored, a reading or sentences come out', () => {
    const odd = fc.record(
      {
        size: fc.oneof(fc.integer(), fc.double()),
        version: fc.string(),
        repository: fc.string(),
        pod: fc.option(
          fc.record(
            {
              labels: fc.dictionary(fc.string(), fc.string()),
              replaceAfter: fc.string(),
              tmpfs: fc.boolean(),
              etcdEnv: fc.array(fc.record({ name: fc.string(), value: fc.string() })),
              resources: fc.record({ limits: fc.dictionary(fc.constant('memory'), fc.string()) }),
            },
            { requiredKeys: [] },
          ),
        ),
        TLS: fc.option(fc.record({ static: fc.record({ operatorSecret: fc.string() }) })),
      },
      { requiredKeys: ['size'] },
    );
    fc.assert(
      fc.property(fc.string(), odd, (name, spec) => {
        const desired = desiredOf(name, spec as EtcdClusterSpec);
        const isSaid =
          'problems' in desired ? desired.problems.every((text) => text !== '') : desired.size === spec.size;
        expect(isSaid).toBe(true);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});
