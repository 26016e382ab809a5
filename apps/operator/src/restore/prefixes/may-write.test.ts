// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { EtcdRestore } from '../../api/etcd-restore.ts';
import { annotations } from '../../api/names.ts';
import { whyNotToWrite } from './may-write.ts';

const version = { apiVersion: 'etcd.database.coreos.com/v1beta2' } as const;
const restore: EtcdRestore = {
  ...version,
  ...{ kind: 'EtcdRestore', metadata: { name: 'r', uid: 'r1', generation: 2 } },
  spec: { etcdCluster: { name: 'c' }, prefixes: ['/p/'] },
};
const cluster: EtcdCluster = { ...version, kind: 'EtcdCluster', metadata: { name: 'c', uid: 'c1' }, spec: { size: 1 } };
const ended = '2026-11-18T08:00:00Z';

test('keys are written for the spec that asked for them, to a cluster that is not about to be replaced', () => {
  expect(whyNotToWrite(restore, { restore, cluster })).toBeUndefined();
});

test.each([
  ['the EtcdRestore is gone', undefined],
  ['it is another one', { restore: { ...restore, metadata: { ...restore.metadata, uid: 'r2' } }, cluster }],
  ['it has another spec', { restore: { ...restore, metadata: { ...restore.metadata, generation: 3 } }, cluster }],
  [
    'it is being deleted',
    { restore: { ...restore, metadata: { ...restore.metadata, deletionTimestamp: ended } }, cluster },
  ],
])('not if %s', (_what, now) => {
  expect(whyNotToWrite(restore, now)).toBe('the EtcdRestore was changed or deleted');
});

test('not if the cluster is gone, or another restore has marked it', () => {
  expect(whyNotToWrite(restore, { restore, cluster: undefined })).toBe('the EtcdCluster was deleted');
  const mark = { [annotations.restore]: JSON.stringify({ name: 'whole', uid: 'w' }) };
  const marked = { ...cluster, metadata: { ...cluster.metadata, annotations: mark } };
  expect(whyNotToWrite(restore, { restore, cluster: marked })).toContain('is being restored by EtcdRestore whole');
});
