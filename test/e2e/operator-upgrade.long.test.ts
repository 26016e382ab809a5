// SPDX-License-Identifier: Apache-2.0
/** The upgrade of the operator and the way back, on the current Kubernetes: `npm run test:long -- operator-upgrade`. It needs root. */
import { kubernetesVersions } from '@etcd-operator/tools';
import { expect, test } from 'vitest';
import { runOnKubernetes } from './testing/run-on-kubernetes.ts';

test('an operator is upgraded from another build, and goes back to it', async ({ signal }) => {
  const [current] = kubernetesVersions;
  if (!current) throw new Error('tools/parts/kubernetes-parts.ts names no version of Kubernetes');
  const printed = await runOnKubernetes(current, ['operator-upgrade.version'], signal);
  expect(printed).toContain(`Kubernetes ${current.version} is up`);
});
