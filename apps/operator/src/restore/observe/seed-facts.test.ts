// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, Pod } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { seedFacts } from './seed-facts.ts';

const made = '2026-11-15T12:00:00Z';
const moment = Date.parse(made) + 10_000;

const container = (name: string, state: ContainerStatus['state'], more: object = {}): ContainerStatus =>
  ({ name, image: 'i', imageID: '', ready: false, restartCount: 0, state, ...more }) as ContainerStatus;

function pod(init: readonly ContainerStatus[], main: readonly ContainerStatus[] = [], more: Partial<Pod> = {}): Pod {
  return {
    metadata: { name: 'seed', uid: 'u', creationTimestamp: made },
    spec: { nodeName: 'node-1', containers: [] },
    status: { phase: 'Pending', podIP: '10.0.0.1', initContainerStatuses: init, containerStatuses: main },
    ...more,
  } as Pod;
}

const running = { running: { startedAt: made } };
const ended = (exitCode: number, message = '') => ({ terminated: { exitCode, message } }) as ContainerStatus['state'];
const fetched = container('fetch-backup', ended(0));

describe('the pod of a new member', () => {
  test.each<readonly [string, Pod, string]>([
    ['before its containers', pod([]), 'pending'],
    ['while the agent listens', pod([container('fetch-backup', running)]), 'waitingForData'],
    ["while etcd's tool works", pod([fetched, container('restore-datadir', running)]), 'restoring'],
    [
      'between the two',
      pod([fetched, container('restore-datadir', { waiting: { reason: 'PodInitializing' } })]),
      'restoring',
    ],
    [
      'while etcd runs',
      pod([fetched, container('restore-datadir', ended(0))], [container('etcd', running)]),
      'running',
    ],
  ])('%s is seen for what it is', (_what, given, stage) => {
    expect(seedFacts(given, undefined, moment)).toMatchObject({ stage, broken: undefined, ip: '10.0.0.1' });
  });

  test('an agent that was started again is another one: what the one before has received may be lost', () => {
    const agent = (id: string, state: ContainerStatus['state']) =>
      seedFacts(pod([container('fetch-backup', state, { containerID: id })]), undefined, moment).agent;
    expect(agent('containerd://a', running)).toBe(agent('containerd://a', ended(0)));
    expect(agent('containerd://b', running)).not.toBe(agent('containerd://a', running));
    expect(seedFacts(pod([]), undefined, moment).agent).toBe('');
  });

  test("what etcd's tool says is the reason, at once", () => {
    const failing = container('restore-datadir', ended(1, 'Error: data-dir "/var/etcd/data" not empty'));
    expect(seedFacts(pod([fetched, failing]), undefined, moment).broken).toContain('not empty');
    const again = container(
      'restore-datadir',
      { waiting: { reason: 'CrashLoopBackOff' } },
      { lastState: ended(1, 'x y z') },
    );
    expect(seedFacts(pod([fetched, again]), undefined, moment).broken).toContain('x y z');
  });

  test('an image that cannot be pulled fails the restore only after a while', () => {
    const pulling = pod([
      container('fetch-backup', { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }),
    ]);
    expect(seedFacts(pulling, undefined, moment).broken).toBeUndefined();
    expect(seedFacts(pulling, undefined, moment).why).toContain('no such image');
    expect(seedFacts(pulling, undefined, moment + 200_000).broken).toContain('no such image');
  });

  test('a container that is being created is no trouble', () => {
    const creating = pod([container('fetch-backup', { waiting: { reason: 'ContainerCreating' } })]);
    expect(seedFacts(creating, undefined, moment).why).not.toContain('cannot start');
  });

  test('an agent or an etcd that ends again and again will not come up', () => {
    const agent = container('fetch-backup', { waiting: {} }, { restartCount: 3, lastState: ended(1, 'no key') });
    expect(seedFacts(pod([agent]), undefined, moment).broken).toContain(
      "restore agent in the new member's pod does not run: no key",
    );
    const etcd = container('etcd', { waiting: {} }, { restartCount: 3, lastState: ended(2, 'bad flag') });
    expect(seedFacts(pod([fetched], [etcd]), undefined, moment).broken).toContain('bad flag');
    const restarted = container('etcd', running, { restartCount: 9 });
    expect(seedFacts(pod([fetched], [restarted]), undefined, moment).broken).toBeUndefined();
  });

  test('one that is not scheduled says why', () => {
    const status = { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] };
    const waiting = pod([], [], { spec: { containers: [] }, status } as Partial<Pod>);
    expect(seedFacts(waiting, undefined, moment).why).toContain('0/3 nodes are available');
  });

  test('one with an identity is past the point of no return', () => {
    const proven = pod([], [], { metadata: { name: 'seed', annotations: { [annotations.clusterId]: 'abc' } } });
    expect(seedFacts(proven, undefined, moment).isIdentified).toBe(true);
    expect(seedFacts(pod([]), undefined, moment).isIdentified).toBe(false);
  });
});
