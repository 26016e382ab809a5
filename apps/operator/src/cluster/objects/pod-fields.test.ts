// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { podFields } from './pod-fields.ts';

test('every field of spec.pod has its place', () => {
  const pod = etcdClusters.schema.properties?.['spec']?.properties?.['pod'];
  expect(Object.keys(podFields).sort()).toEqual(Object.keys(pod?.properties ?? {}).sort());
});
