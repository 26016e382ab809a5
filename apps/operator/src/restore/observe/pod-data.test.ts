// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { serverWithNodes } from '../testing/server-with-nodes.ts';
import { mayHoldData } from './pod-data.ts';

const { client, refused, signal } = serverWithNodes();

const pod = (nodeName: string, phase: NonNullable<Pod['status']>['phase'] = 'Running', isOnClaim = false): Pod => ({
  metadata: { name: 'p' },
  spec: {
    containers: [],
    ...(nodeName !== '' && { nodeName }),
    volumes: [
      { name: 'etcd-data', ...(isOnClaim ? { persistentVolumeClaim: { claimName: 'p' } } : { emptyDir: {} }) },
      { name: 'other', emptyDir: {} },
    ],
  },
  status: { ...(phase && { phase }) },
});

test.each<readonly [string, Pod, boolean]>([
  ['that runs', pod('alive'), true],
  ['whose node does not report', pod('alive', 'Unknown'), true],
  ['whose node came back, and whose containers do not yet run again', pod('alive', 'Pending'), true],
  ['that failed', pod('alive', 'Failed'), false],
  ['that ended', pod('alive', 'Succeeded'), false],
  ['that has a volume', pod('alive', 'Running', true), false],
  ['on a node that is gone', pod('gone'), false],
  ['on a node that is declared out of service', pod('declared-off'), false],
  ['that has never been on a node', pod('', 'Pending'), false],
])('whether data may be only in a pod %s', async (_what, found, isHeld) => {
  expect(await mayHoldData(found, { client, signal })).toBe(isHeld);
});

test('without the right to read nodes a pod may hold data', async () => {
  expect(await mayHoldData(pod('gone'), { client: refused, signal })).toBe(true);
});
