// SPDX-License-Identifier: Apache-2.0
import { EtcdError, type MemberClient } from '@operator-parts/etcd';
import { createClient, type Pod } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { afterAll, describe, expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { survivorFacts } from './survivor-facts.ts';

const server = createApiServer();
const client = createClient(server.transport());
afterAll(() => server.close());

const { signal } = new AbortController();
const made = '2026-01-01T12:00:00Z';
const now = Date.parse(made) + 10_000;
const running = { name: 'etcd', state: { running: { startedAt: made } } };
const claim = { name: 'etcd-data', persistentVolumeClaim: { claimName: 'a' } };

interface PodParts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

const pod = ({ metadata, spec, status }: PodParts = {}): Pod =>
  ({
    metadata: { name: 'a', creationTimestamp: made, ...metadata },
    spec: { nodeName: 'n1', ...spec },
    status: { phase: 'Running', podIP: '10.0.0.1', containerStatuses: [running], ...status },
  }) as unknown as Pod;

const started = { annotations: { [annotations.startedByRestore]: 'uid' } };

/** A member that answers or does not answer. */
const member = (answers: boolean) => () =>
  ({
    maintenance: {
      status: async () => {
        if (!answers) throw new EtcdError('Unavailable', 'no route');
        return { revision: 5n, raftIndex: 9n, dbSize: 4096, leader: 0n };
      },
    },
    [Symbol.dispose]: () => undefined,
  }) as unknown as MemberClient;

const factsOf = (parts: PodParts, answers = false, at = now) =>
  survivorFacts(pod(parts), at, member(answers), { client, signal, readsNodes: false });

describe('for an operator that cannot read nodes, a pod may run unseen', () => {
  const mayRun = async (parts: PodParts, answers = false) => (await factsOf(parts, answers)).mayRunUnseen;

  test('if its data is in it alone, its etcd runs, and it does not answer', async () => {
    expect(await mayRun({})).toBe(true);
    expect(await mayRun({}, true)).toBe(false);
    expect(await mayRun({ status: { phase: 'Failed' } })).toBe(false);
    expect(await mayRun({ status: { containerStatuses: [] } })).toBe(true);
    const waiting = [{ name: 'etcd', state: { waiting: { reason: 'CrashLoopBackOff' } } }];
    expect(await mayRun({ status: { containerStatuses: waiting } })).toBe(false);
  });

  test('if it should have ended: one on a volume is stopped first, and waited for', async () => {
    expect(await mayRun({ spec: { volumes: [claim] } })).toBe(false);
    expect(await mayRun({ metadata: started })).toBe(false);
    const metadata = { deletionTimestamp: '2026-01-01T11:50:00Z' };
    expect(await mayRun({ metadata, spec: { volumes: [claim] } })).toBe(true);
  });
});

describe('a pod that reads a volume', () => {
  const reader = (status: object, spec: object = {}): PodParts => ({
    metadata: started,
    spec: { volumes: [claim], ...spec },
    status: { phase: 'Pending', podIP: undefined, containerStatuses: [], ...status },
  });
  const brokenAfter = async (parts: PodParts, milliseconds: number) =>
    (await factsOf(parts, false, Date.parse(made) + milliseconds)).broken;

  test('counts as broken if it was not scheduled within three minutes, as where its volume is of a node that is gone', async () => {
    const message = '0/2 nodes are available: volume node affinity conflict';
    const conditions = [{ type: 'PodScheduled', status: 'False', message }];
    const parts = reader({ conditions }, { nodeName: undefined });
    expect(await brokenAfter(parts, 60_000)).toBeUndefined();
    expect(await brokenAfter(parts, 200_000)).toContain(message);
  });

  test('counts as broken if was not attached within three minutes, but not while an image is pulled slowly', async () => {
    const initContainerStatuses = [{ name: 'read-survivor', state: { waiting: { reason: 'PodInitializing' } } }];
    expect(await brokenAfter(reader({ initContainerStatuses }), 60_000)).toBeUndefined();
    expect(await brokenAfter(reader({ initContainerStatuses }), 200_000)).toContain('was not attached');
    expect(await brokenAfter(reader({ initContainerStatuses, podIP: '10.0.0.1' }), 200_000)).toBeUndefined();
    const isSetUp = [{ type: 'PodReadyToStartContainers', status: 'True' }];
    expect(await brokenAfter(reader({ initContainerStatuses, conditions: isSetUp }), 200_000)).toBeUndefined();
  });

  test('counts as broken if its image cannot be pulled', async () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
    const parts = reader({ podIP: '10.0.0.1', initContainerStatuses: [{ name: 'read-survivor', state: { waiting } }] });
    expect(await brokenAfter(parts, 60_000)).toBeUndefined();
    expect((await factsOf(parts)).why).toContain('no such image');
    expect(await brokenAfter(parts, 200_000)).toContain('pod/a does not start: ImagePullBackOff (no such image)');
  });

  test('has ended if it was evicted', async () => {
    expect((await factsOf(reader({ phase: 'Failed', reason: 'Evicted' }))).hasEnded).toBe(true);
    expect((await factsOf(reader({}))).hasEnded).toBe(false);
  });

  test('does not count as broken while it reads, however long that takes', async () => {
    const initContainerStatuses = [{ name: 'read-survivor', state: { running: { startedAt: made } } }];
    expect(await brokenAfter(reader({ initContainerStatuses }), 2_000_000)).toBeUndefined();
  });
});
