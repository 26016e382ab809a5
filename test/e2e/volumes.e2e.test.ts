// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type LocalVolumes, startLocalVolumes } from './testing/local-volumes.ts';
import { isRunning, shellPod } from './testing/scenes/pods.ts';
import { openScene } from './testing/scenes/scene.ts';
import { until, untilTrue } from './testing/until.ts';

const claimOf = ({ storageClass }: LocalVolumes) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { storageClassName: storageClass, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const mounted = {
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
};

test('what a pod writes to its claim outlives the pod and goes with the claim', async () => {
  await using scene = await openScene('volumes');
  await using volumes = await startLocalVolumes(scene.cluster);
  await scene.create(claimOf(volumes), shellPod('writer', mounted));
  await scene.podWhen('writer', 'running', isRunning);
  await scene.exec('writer', 'sh', '-c', 'echo kept > /data/file');
  await scene.kubectl('delete', 'pod', 'writer');

  await scene.create(shellPod('reader', mounted));
  await scene.podWhen('reader', 'running', isRunning);
  expect(await scene.exec('reader', 'cat', '/data/file')).toBe('kept\n');

  const { spec } = await scene.get<{ readonly spec: { readonly volumeName: string } }>('pvc', 'data');
  expect(existsSync(volumes.folderOf(spec.volumeName))).toBe(true);
  await scene.kubectl('delete', 'pod', 'reader');
  await scene.kubectl('delete', 'pvc', 'data');
  await untilTrue('the folder is gone', async () => !existsSync(volumes.folderOf(spec.volumeName)));
});

test('a volume belongs to the group that the pod asks for', async () => {
  await using scene = await openScene('volume-group');
  await using volumes = await startLocalVolumes(scene.cluster);
  const securityContext = { runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, runAsNonRoot: true };
  await scene.create(claimOf(volumes), shellPod('one', { ...mounted, securityContext }));
  await scene.podWhen('one', 'running', isRunning);
  await until('the volume can be written by its user', () =>
    scene.exec('one', 'sh', '-c', 'id -u > /data/user; cat /data/user'),
  );
  expect(await scene.exec('one', 'stat', '-c', '%g', '/data')).toBe('1000\n');
});
