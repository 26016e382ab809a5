// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { reservedPorts } from '../api/cluster-spec/member-extras.ts';
import type { PodPolicy } from '../api/etcd-cluster.ts';
import { memberPorts } from '../member-ports.ts';
import { extrasProblems } from './extras-problems.ts';

const sidecar = { name: 'a', image: 'x:1' };

test('the ports of members are reserved, all of them', () => {
  expect(new Set<number>(reservedPorts)).toEqual(new Set(Object.values(memberPorts)));
});

describe('what a spec adds to its pods', () => {
  test('is fine if it stays out of the way', () => {
    const mount = { name: 'v', mountPath: '/var/log/etcd' };
    const containers = {
      ...sidecar,
      ports: [{ containerPort: 80 }],
      volumeMounts: [{ ...mount, mountPath: '/var/etcd' }],
    };
    const pod: PodPolicy = {
      sidecars: [containers],
      initContainers: [{ name: 'b', image: 'x:1' }],
      volumes: [{ name: 'v', emptyDir: {} }],
      volumeMounts: [mount],
    };
    expect(extrasProblems(pod)).toEqual([]);
  });

  test.each<[string, PodPolicy, string]>([
    ['our container', { sidecars: [{ ...sidecar, name: 'etcd' }] }, 'uses etcd for containers'],
    ['our init container', { initContainers: [{ ...sidecar, name: 'check-dns' }] }, 'uses check-dns'],
    ['a name twice', { sidecars: [sidecar], initContainers: [sidecar] }, 'two containers called a'],
    ['no image', { sidecars: [{ name: 'a' }] }, 'container a without an image'],
    ['our port', { sidecars: [{ ...sidecar, ports: [{ containerPort: 2381 }] }] }, '2381, which is reserved'],
    [
      'our name of a port',
      { sidecars: [{ ...sidecar, ports: [{ name: 'client', containerPort: 1 }] }] },
      'port client',
    ],
    ['our volume', { volumes: [{ name: 'etcd-data', emptyDir: {} }] }, 'uses etcd-data for volumes'],
    ['no kind of volume', { volumes: [{ name: 'v' }] }, 'must be one of configMap'],
    ['two kinds of volume', { volumes: [{ name: 'v', emptyDir: {}, secret: {} }] }, 'must be one of configMap'],
    [
      'the data in a sidecar',
      { sidecars: [{ ...sidecar, volumeMounts: [{ name: 'etcd-data', mountPath: '/x' }] }] },
      'mounts volume etcd-data, which is not in spec.pod.volumes',
    ],
    [
      'a mount above the data',
      { volumes: [{ name: 'v', emptyDir: {} }], volumeMounts: [{ name: 'v', mountPath: '/var' }] },
      '/var, which is reserved',
    ],
    [
      'a mount that climbs',
      { volumes: [{ name: 'v', emptyDir: {} }], volumeMounts: [{ name: 'v', mountPath: '/x/../var/etcd' }] },
      'which is reserved',
    ],
  ])('is refused with %s', (_, pod, words) => {
    expect(extrasProblems(pod)).toEqual([expect.stringContaining(words)]);
  });
});
