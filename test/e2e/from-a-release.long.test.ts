// SPDX-License-Identifier: Apache-2.0
/**
 * Somebody with nothing but a release, on the current Kubernetes: `npm run test:long -- from-a-release`. It needs root, like `npm run
 * test:e2e`. The release is made of this tree, or is that of the folder in ETCD_OPERATOR_RELEASE.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePart, kubernetesVersions } from '@etcd-operator/tools';
import { chart, documentation, image, makeRelease, manifests, plugin } from '@etcd-operator/tools/release';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOnKubernetes } from './testing/run-on-kubernetes.ts';
import { root } from './testing/scenes/manifests.ts';

let home: string;
let release: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'release-'));
  release = process.env['ETCD_OPERATOR_RELEASE'] ?? join(home, 'release');
  const kinds = [manifests, chart, plugin, image, documentation];
  if (release.startsWith(home))
    await makeRelease({ root, out: release, allowUnreleased: true, kinds, say: () => undefined });
  await ensurePart('prometheus');
}, 1_800_000);
afterAll(() => rm(home, { recursive: true, force: true }));

test('each way from a release to a cluster with backups and a firing alert takes less than 15 minutes', async ({
  signal,
}) => {
  const [current] = kubernetesVersions;
  if (!current) throw new Error('tools/parts/kubernetes-parts.ts names no version of Kubernetes');
  const printed = await runOnKubernetes(current, ['from-a-release.version'], signal, {
    ETCD_OPERATOR_RELEASE: release,
  });
  expect(printed).toContain(`Kubernetes ${current.version} is up`);
});
