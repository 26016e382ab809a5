// SPDX-License-Identifier: Apache-2.0
import type { RequestRecord } from '@etcd-operator/operator/testing/doors';
import { expect, test } from 'vitest';
import { isWrite, wordsOf } from './write-record.ts';

const to = (server: RequestRecord['to'], what: string): RequestRecord => ({
  ...{ to: server, who: 'operator', what, at: 0, status: 0 },
});
const kubernetes = (what: string) => to('kubernetes', what);

test.each([
  ['PATCH /apis/etcd.database.coreos.com/v1beta2/namespaces/run-1/etcdclusters/one/status?force=true', true],
  ['POST /api/v1/namespaces/run-1/events', false],
  ['PATCH /apis/events.k8s.io/v1/namespaces/run-1/events/one.18', false],
  ['POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', false],
  ['POST /api/v1/namespaces/run-1/pods?dryRun=All', false],
  ['DELETE /api/v1/namespaces/run-1/pods/events-of-one', true],
])('%s is a write: %s', (what, expected) => {
  expect(isWrite(kubernetes(what))).toBe(expected);
});

test('what is sent to members and to the store always counts', () => {
  expect(isWrite(to('etcd', 'Cluster/MemberAdd'))).toBe(true);
  expect(isWrite(to('store', 'PUT /backups/events/x'))).toBe(true);
});

test('the words of a write leave out names', () => {
  const status = kubernetes(
    'PATCH /apis/etcd.database.coreos.com/v1beta2/namespaces/run-1/etcdclusters/one/status?f=1',
  );
  expect(wordsOf(status)).toBe('PATCH etcdclusters/status');
  expect(wordsOf(kubernetes('POST /api/v1/namespaces/run-1/pods'))).toBe('POST pods');
  expect(wordsOf(kubernetes('POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions'))).toBe(
    'POST customresourcedefinitions',
  );
  expect(wordsOf(to('etcd', 'Cluster/MemberAdd'))).toBe('etcd: Cluster/MemberAdd');
  expect(wordsOf(to('store', 'PUT /backups/run-1/saved_v12_2026?x-id=PutObject'))).toBe('store: PUT');
});
