// SPDX-License-Identifier: Apache-2.0
/**
 * The operator on every supported version of Kubernetes: `npm run test:long -- kubernetes`. It needs root, like `npm
 * run test:e2e`.
 */
import { kubernetesVersions } from '@etcd-operator/tools';
import { expect, test } from 'vitest';
import { runOnKubernetes } from './testing/run-on-kubernetes.ts';

test.for(kubernetesVersions)('works on Kubernetes $version', async (kubernetes, { signal }) => {
  const printed = await runOnKubernetes(kubernetes, ['full-lifecycle.version'], signal);
  expect(printed).toContain(`Kubernetes ${kubernetes.version} is up`);
});
