// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { EtcdRestore } from '../api/etcd-restore.ts';
import { jobNames } from './job-names.ts';
import { objectOfJob } from './jobs.ts';

const restore: EtcdRestore = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdRestore',
  metadata: { name: 'r', namespace: 'ns', uid: 'u', generation: 3 },
  spec: { etcdCluster: { name: 'c' }, prefixes: ['/p/'] },
};
const saved = (generation: number, round?: number): EtcdRestore => ({
  ...restore,
  status: { succeeded: false, safetySnapshot: { generation, path: 'p', ...(round && { round }) } },
});
const rounds = (one: EtcdRestore) => [jobNames(one).save, jobNames(one).write];

test('a safety snapshot and what is written after it are jobs of their own, for each generation', () => {
  expect(rounds(restore)).toEqual(['ns/r/u/3/save/1', 'ns/r/u/3/write/0']);
  expect(rounds(saved(3))).toEqual(['ns/r/u/3/save/2', 'ns/r/u/3/write/1']);
  expect(rounds(saved(3, 2))).toEqual(['ns/r/u/3/save/3', 'ns/r/u/3/write/2']);
  expect(rounds(saved(2, 2))).toEqual(rounds(restore));
});

test('a job names its restore', () => {
  expect(objectOfJob(jobNames(restore).deliver('a/b'))).toEqual({ namespace: 'ns', name: 'r' });
});
