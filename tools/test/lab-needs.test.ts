// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { partsFor } from './lab-needs.ts';

describe('the parts that are made before tests run', () => {
  test('none for tests that start no process', () => {
    expect(partsFor(['packages/kube/src/client.test.ts'])).toEqual([]);
  });

  test('only those that the chosen files run', () => {
    expect(partsFor(['packages/blob/src/s3/s3.lab.test.ts'])).toEqual([
      'etcd@3.6',
      'versitygw',
      'azurite',
      'fake-gcs-server',
    ]);
  });

  test('every version of etcd for the operator', () => {
    const parts = partsFor(['apps/operator/src/cluster/lifecycle.lab.test.ts']);
    const versions = ['3.3', '3.4', '3.4.31', '3.5', '3.6', '3.7'].map((version) => `etcd@${version}`);
    expect(parts).toEqual(expect.arrayContaining(versions));
  });
});
