// SPDX-License-Identifier: Apache-2.0
/**
 * Somebody with nothing but a release, on the current Kubernetes: `npm run test:long -- from-a-release`. It needs root, like `npm run
 * test:e2e`.
 */
import { kubernetesVersions } from '@etcd-operator/tools';
import { expect, test } from 'vitest';
import { runOnKubernetes } from './testing/run-on-kubernetes.ts';

test('each way from a release to a cluster with backups and a firing alert takes less than 15 minutes', async ({
  signal,
}) => {
  const [current] = kubernetesVersions;
  if (!current) throw new Error('tools/parts/kubernetes-parts.ts names no version of Kubernetes');
  const printed = await runOnKubernetes(current, ['from-a-release.version'], signal);
  expect(printed).toContain(`Kubernetes ${current.version} is up`);
});
