// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Pod } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isEmptyMember } from './empty-member.ts';

let answer = 'etcd_server_proposals_committed_total 0\n';
const server = createServer((_request, response) => response.end(answer));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

const access = {
  clock: systemClock,
  credentials: { tls: undefined, login: undefined },
  signal: new AbortController().signal,
  dial: async () => connect((server.address() as AddressInfo).port, '127.0.0.1'),
};

interface Case {
  readonly restarts?: number;
  readonly isRunning?: boolean;
  readonly init?: string;
  readonly volume?: object;
}

function podOf({ restarts = 0, isRunning = true, init = 'check-dns', volume = { emptyDir: {} } }: Case): Pod {
  const state = isRunning ? { running: {} } : { waiting: {} };
  return {
    spec: {
      initContainers: [{ name: init }],
      containers: [{ name: 'etcd' }],
      volumes: [{ name: 'etcd-data', ...volume }],
    },
    status: {
      podIP: '127.0.0.1',
      containerStatuses: [{ name: 'etcd', image: '', imageID: '', ready: false, restartCount: restarts, state }],
    },
  };
}

test('a process that began on an empty directory, and has committed nothing, has nothing', async () => {
  answer = 'etcd_server_proposals_committed_total 0\n';
  expect(await isEmptyMember(podOf({}), access)).toBe(true);
});

test.each<[string, Case, string]>([
  ['knows of a committed entry', {}, 'etcd_server_proposals_committed_total 3\n'],
  ['does not say what it knows', {}, 'other 1\n'],
  ['has been restarted', { restarts: 1 }, 'etcd_server_proposals_committed_total 0\n'],
  ['does not run', { isRunning: false }, 'etcd_server_proposals_committed_total 0\n'],
  ['was restored into', { init: 'restore-data' }, 'etcd_server_proposals_committed_total 0\n'],
  [
    'is on a volume',
    { volume: { persistentVolumeClaim: { claimName: 'c' } } },
    'etcd_server_proposals_committed_total 0\n',
  ],
])('one that %s may have data', async (_why, pod, metrics) => {
  answer = metrics;
  expect(await isEmptyMember(podOf(pod), access)).toBe(false);
});
