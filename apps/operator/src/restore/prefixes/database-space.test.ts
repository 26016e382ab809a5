// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { whyNoSpace } from './database-space.ts';

const counts = { puts: 100, deletes: 0, putBytes: 10_000_000 };

test('keys are written only if the database has room for them beside what they replace, with a margin', () => {
  expect(whyNoSpace(counts, { size: 10_000_000, quota: 25_000_000 })).toBeUndefined();
  expect(whyNoSpace(counts, { size: 14_000_000, quota: 25_000_000 })).toBe(
    'writing 100 keys needs up to 12551200 bytes, but the database has 14000000 bytes and its quota is 25000000 bytes. Compact and defragment the cluster, or raise ETCD_QUOTA_BACKEND_BYTES in spec.pod.etcdEnv of the EtcdCluster',
  );
});

test('deletions need room, too; nothing needs none, and without a quota there is always some', () => {
  const full = { size: 1_000, quota: 1_000 };
  expect(whyNoSpace({ puts: 0, deletes: 1, putBytes: 0 }, full)).toContain('writing 1 key needs up to 512 bytes');
  expect(whyNoSpace({ puts: 0, deletes: 0, putBytes: 0 }, full)).toBeUndefined();
  expect(whyNoSpace(counts, { size: 1e15, quota: Number.POSITIVE_INFINITY })).toBeUndefined();
});
