// SPDX-License-Identifier: Apache-2.0
/** The tutorials' commands and files as printed, typed on a real Kubernetes by the same runner as in the playground. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chapters } from '../tutorials/testing/chapters.ts';
import { Reading } from '../tutorials/testing/reading.ts';
import type { Desk } from '../tutorials/testing/typist.ts';
import { loadedImagesNames, loadedImagesPolicy } from './testing/loaded-images.ts';
import { startLocalVolumes } from './testing/local-volumes.ts';
import { root } from './testing/scenes/manifests.ts';
import { startStore } from './testing/scenes/s3.ts';
import { openScene } from './testing/scenes/scene.ts';
import { tutorialImages } from './testing/tutorial-images.ts';

const reading = new Reading(root);
const desks = new AsyncDisposableStack();
let desk: Desk;

beforeAll(async () => {
  const scene = desks.use(await openScene('tutorials'));
  const { cluster } = scene;
  for (const image of await tutorialImages()) await cluster.importImage(image);
  await cluster.apply(loadedImagesPolicy);
  desks.defer(async () => void (await cluster.kubectl(['delete', ...loadedImagesNames, '--ignore-not-found'])));
  const { storageClass } = desks.use(await startLocalVolumes(cluster));
  const isDefault = 'storageclass.kubernetes.io/is-default-class=true';
  await cluster.kubectl(['annotate', 'storageclass', storageClass, isDefault]);
  const store = await startStore(scene, 'mybucket');
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-tutorials-'));
  desks.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(join(root, 'example'), join(folder, 'example'), { recursive: true });
  const aws = join(folder, 'aws');
  await mkdir(aws);
  // The reader's own files, with the spaces that the tutorials have.
  for (const [name, text] of Object.entries(store.files))
    await writeFile(join(aws, name), text.replace(/^(\w+)[ \t]*=[ \t]*(?=\S)/gm, '$1 = '));
  const path = [dirname(cluster.kubectlProgram), dirname(process.execPath), process.env['PATH']].join(':');
  const env = { PATH: path, HOME: folder, KUBECONFIG: cluster.kubeconfig, AWS_DIR: aws };
  desk = { folder, env: { ...env, npm_config_update_notifier: 'false' }, patience: 240_000 };
  // Also after an interrupted chapter: the next file finds an empty cluster.
  const gone = ['--namespace=default', '--ignore-not-found', '--wait=false'];
  const operators = ['etcd-operator', 'etcd-backup-operator', 'etcd-restore-operator'];
  desks.defer(async () => {
    await cluster.run([cluster.kubectlProgram, 'delete', 'etcdclusters,keyvaluestores', '--all', ...gone]);
    await cluster.kubectl(['delete', 'jobs,cronjobs,deployments,pods,pvc', '--all', ...gone]);
    await cluster.kubectl(['delete', 'deployment', ...operators, ...gone]);
    await cluster.kubectl(['delete', 'secret', 'aws', ...gone]);
    await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', 'etcd-operator', ...gone]);
    await cluster.kubectl(['delete', 'crd', 'keyvaluestores.databases.example.com', ...gone]);
    await cluster.kubectl(['delete', 'namespace', 'mynamespace', '--ignore-not-found', '--wait=false']);
  });
});
afterAll(() => desks.disposeAsync());

test.concurrent.each(chapters)('$page, typed as printed on a real Kubernetes', async (chapter) => {
  expect(await reading.type(chapter, desk)).toBe(chapter.commands);
});
