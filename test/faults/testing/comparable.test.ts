// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { comparable } from './comparable.ts';

const pod = (name: string, namespace: string, more: object = {}) => ({
  kind: 'Pod',
  metadata: { name, namespace, uid: `${name}-uid`, annotations: { id: 'b5ad46e5cffcbfdb' } },
  spec: { command: ['--name', name], ...more },
  status: { phase: 'Running' },
});

test('the same pod of two runs is the same line', () => {
  const first = comparable(pod('one-bcdfghjklm', 'run-1'), { namespace: 'run-1', cluster: 'one' });
  const second = comparable(pod('one-npqrstvwxz', 'run-22'), { namespace: 'run-22', cluster: 'one' });
  expect(second).toBe(first);
  expect(first).toContain('"command":["--name","<self>"]');
});

test('another specification is another line', () => {
  const known = { namespace: 'run-1', cluster: 'one' };
  const first = comparable(pod('one-bcdfghjklm', 'run-1'), known);
  expect(comparable(pod('one-bcdfghjklm', 'run-1', { hostNetwork: true }), known)).not.toBe(first);
});

test('how a member began is no difference', () => {
  const known = { namespace: 'run-1', cluster: 'one' };
  const plain = pod('one-bcdfghjklm', 'run-1');
  const noted = structuredClone(plain);
  Object.assign(noted.metadata.annotations, { 'etcd.database.coreos.com/fresh-volume': 'true' });
  expect(comparable(noted, known)).toBe(comparable(plain, known));
});

test('members are compared as a set, and what the cluster reports of them is kept', () => {
  const cluster = (first: string, second: string, role: string) => ({
    kind: 'EtcdCluster',
    metadata: { name: 'one', namespace: 'run-1' },
    status: {
      memberDetails: [
        { name: first, role: 'Leader' },
        { name: second, role },
      ],
      incarnation: 1,
    },
  });
  const known = { namespace: 'run-1', cluster: 'one' };
  const line = comparable(cluster('one-bcdfghjklm', 'one-2456789bcd', 'Follower'), known);
  const turned = { ...cluster('one-bcdfghjklm', 'one-2456789bcd', 'Follower') };
  turned.status.memberDetails.reverse();
  expect(comparable(turned, known)).toBe(line);
  expect(comparable(cluster('one-bcdfghjklm', 'one-2456789bcd', 'Learner'), known)).not.toBe(line);
});

test('values of a Secret are not shown', () => {
  const secret = { kind: 'Secret', metadata: { name: 'aws', namespace: 'run-1' }, data: { key: 'c2VjcmV0' } };
  expect(comparable(secret, { namespace: 'run-1', cluster: 'one' })).not.toContain('c2VjcmV0');
});
