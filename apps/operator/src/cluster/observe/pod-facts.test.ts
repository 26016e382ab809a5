// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, Pod } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { isEtcdReady } from '../plan/member-health.ts';
import { podFacts } from './pod-facts.ts';

function status(name: string, ready: boolean, state: ContainerStatus['state'] = { running: {} }): ContainerStatus {
  return { name, ready, state, image: '', imageID: '', restartCount: 0 };
}

function facts(
  ready: boolean,
  containerStatuses: readonly ContainerStatus[],
  phase: 'Running' | 'Pending' = 'Running',
) {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  const pod: Pod = { metadata: { uid: 'p' }, status: { phase, conditions, containerStatuses } };
  return podFacts(pod, 'u', { size: 3 }, () => 0);
}

describe('a pod with a sidecar', () => {
  const crashing = status('logger', false, { waiting: { reason: 'CrashLoopBackOff' } });

  test('that crashes is not Ready, and its etcd is', () => {
    const found = facts(false, [crashing, status('etcd', true)]);
    expect(found).toMatchObject({ ready: false, brokenSidecar: 'logger (CrashLoopBackOff)' });
    expect(found.container.state).toBe('running');
    expect(isEtcdReady(found)).toBe(true);
  });

  test('whose image cannot be pulled counts as running, because its etcd does', () => {
    const pulling = status('logger', false, { waiting: { reason: 'ImagePullBackOff' } });
    expect(facts(false, [status('etcd', true), pulling], 'Pending').phase).toBe('Running');
  });

  test.each([
    ['its etcd is not ready either', [status('etcd', false), crashing]],
    ['its node was lost, which changes no container', [status('etcd', true), status('logger', true)]],
    ['nothing is known of its containers', []],
  ])('is not Ready for what its etcd does if %s', (_, containers) => {
    const found = facts(false, containers);
    expect(found.brokenSidecar).toBeUndefined();
    expect(isEtcdReady(found)).toBe(false);
  });

  test('that is Ready has nothing to tell', () => {
    expect(facts(true, [status('etcd', true), status('logger', true)]).brokenSidecar).toBeUndefined();
  });
});

test.each([
  ['is not deleted', {}, { terminating: false }],
  [
    'is being deleted',
    { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
    { terminating: true },
  ],
  [
    'was deleted by force',
    { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
    { forced: true },
  ],
])('a pod that %s is told as such', (_, metadata, told) => {
  const found = podFacts({ metadata: { uid: 'p', ...metadata } }, 'u', { size: 3 }, () => 0);
  expect(found).toMatchObject(told);
  expect(found.forced ?? false).toBe('forced' in told);
});
