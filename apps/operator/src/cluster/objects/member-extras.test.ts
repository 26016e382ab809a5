// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { PodPolicy } from '../../api/etcd-cluster.ts';
import { memberExtras } from './member-extras.ts';

test('of what a stored object holds, only what is known to be harmless reaches a pod', () => {
  const hostile = {
    sidecars: [
      {
        name: 'a',
        image: 'x:1',
        securityContext: { privileged: true },
        lifecycle: { postStart: { exec: { command: ['x'] } } },
        volumeDevices: [{ name: 'v', devicePath: '/dev/sda' }],
        ports: [{ containerPort: 80, hostPort: 80, hostIP: '0.0.0.0' }],
      },
    ],
    volumes: [
      { name: 'host', hostPath: { path: '/' } },
      { name: 'both', emptyDir: {}, hostPath: { path: '/' } },
    ],
    volumeMounts: [{ name: 'both', mountPath: '/x', mountPropagation: 'Bidirectional' }],
  };
  const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true };
  expect(memberExtras(hostile as unknown as PodPolicy)).toEqual({
    sidecars: [{ name: 'a', image: 'x:1', ports: [{ containerPort: 80 }], securityContext: restricted }],
    initContainers: [],
    volumes: [{ name: 'both', emptyDir: {} }],
    mounts: [{ name: 'both', mountPath: '/x' }],
  });
});
