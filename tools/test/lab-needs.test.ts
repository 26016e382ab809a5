// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { isTest, openTree } from '../check/tree.ts';
import { repositoryRoot } from '../repository-root.ts';
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

  test('all that the sources of tests name in the folder of some lab test: none is built within the time limit of a test', () => {
    const tree = openTree(repositoryRoot);
    const isOfLongerTier = (file: string) =>
      /^(bench|test\/(e2e|conformance|faults))\/|\.(long|conformance)\.test\.ts$/.test(file);
    const ofTests = tree.files.filter((file) => file.endsWith('.ts') && (isTest(file) || file.includes('/testing/')));
    const labs = tree.files.filter((file) => file.endsWith('.lab.test.ts'));
    const workspaceOf = (file: string) => /^(?:[^/]+\/[^/]+|[^/]+)\//.exec(file)?.[0] ?? file;
    for (const file of ofTests.filter((path) => !isOfLongerTier(path) && path !== 'tools/parts/ensure-part.test.ts')) {
      const named = [...tree.read(file).matchAll(/ensurePart\('([^']+)'/g)].map(([, part]) => part);
      const beside = labs.filter((lab) => lab.startsWith(workspaceOf(file)));
      for (const part of named) expect(partsFor(beside), `${file} uses ${part}`).toContain(part);
    }
  });
});
