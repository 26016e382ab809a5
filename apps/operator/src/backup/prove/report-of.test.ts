// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, Pod } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { type ProofWords, renderWords } from './proof-report.ts';
import { reportOf } from './report-of.ts';

const figures = { revision: 9, compactRevision: 3, keys: 4, hash: 77 };
const report = { file: figures, served: figures, etcdVersion: '3.6.16', clusterId: 'abc', members: ['me'] };

const running = (name: string): ContainerStatus => status(name, { running: {} });
const ended = (name: string, exitCode: number, message = ''): ContainerStatus =>
  status(name, { terminated: { exitCode, message } });
const now = Date.parse('2026-01-01T12:00:00Z');
/** The agent reports at this time that it lost the connection to etcd. */
const lost = (at: number): ContainerStatus => {
  const message = renderWords({ kind: 'notServing', why: 'gone' });
  return status('prove', { terminated: { exitCode: 1, message, finishedAt: new Date(at).toISOString() } });
};
const said = (words: ProofWords) => ended('prove', words.kind === 'report' ? 0 : 1, renderWords(words));

function status(name: string, state: ContainerStatus['state']): ContainerStatus {
  return { name, image: '', imageID: '', ready: false, restartCount: 0, ...(state && { state }) };
}

function pod(
  containerStatuses: readonly ContainerStatus[],
  initContainerStatuses: readonly ContainerStatus[] = [],
): Pod {
  return {
    metadata: { name: 'p', namespace: 'default' },
    spec: { nodeName: 'n', containers: [] },
    status: { phase: 'Running', containerStatuses, initContainerStatuses },
  };
}

test('what the agent reports is what counts, whatever becomes of etcd afterwards', () => {
  expect(reportOf(pod([running('etcd'), said({ kind: 'report', report })]), 0)).toEqual(report);
  expect(reportOf(pod([ended('etcd', 137), said({ kind: 'report', report })]), 0)).toEqual(report);
});

test('as long as both run, nothing is said', () => {
  expect(reportOf(pod([running('etcd'), running('prove')]), 0)).toBeUndefined();
  expect(reportOf(pod([], [running('restore-datadir')]), 0)).toBeUndefined();
  // The status of the etcd container follows a moment later.
  expect(reportOf(pod([running('etcd'), lost(now - 1_000)]), now)).toBeUndefined();
});

test.each<[string, Pod, string, string]>([
  ['an etcd that stops', pod([ended('etcd', 2, 'panic: freelist'), running('prove')]), 'refuted', 'RestoreFailed'],
  ['one that is killed', pod([ended('etcd', 137, 'x'), lost(0)]), 'untried', 'ProofPodFailed'],
  ['a full disk', pod([ended('etcd', 2, 'panic: no space left on device')]), 'untried', 'ProofPodFailed'],
  [
    'an eviction',
    { ...pod([ended('etcd', 2)]), status: { ...pod([ended('etcd', 2)]).status, reason: 'Evicted' } },
    'untried',
    'ProofPodFailed',
  ],
  ['a tool that fails', pod([], [ended('restore-datadir', 1, 'Error: no')]), 'refuted', 'RestoreFailed'],
  ['a tool that is killed', pod([], [ended('restore-datadir', 137)]), 'untried', 'ProofPodFailed'],
  [
    'a file that cannot be read',
    pod([running('etcd'), said({ kind: 'unreadable', why: 'x' })]),
    'refuted',
    'RestoreFailed',
  ],
  ['an etcd that runs and does not serve', pod([running('etcd'), lost(now - 20_000)]), 'refuted', 'RestoreFailed'],
  [
    'a login that is refused',
    pod([running('etcd'), said({ kind: 'loginRefused', why: 'no' })]),
    'untried',
    'ProofLoginRefused',
  ],
  ['an agent that crashes', pod([running('etcd'), ended('prove', 134, 'out of memory')]), 'untried', 'ProofPodFailed'],
])('%s is no report', (_what, seen, kind, reason) => {
  expect(() => reportOf(seen, now)).toThrow(expect.objectContaining({ kind, reason }));
});

test('the last words are in the message', () => {
  expect(() => reportOf(pod([ended('etcd', 2, 'panic: freelist')]), 0)).toThrow('panic: freelist');
});
