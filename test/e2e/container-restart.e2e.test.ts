// SPDX-License-Identifier: Apache-2.0
/** What the kubelet does to a running pod. The operator relies on each of these (operator rules 1, 6 and 8). */
import { busyboxImage, defaultBusyboxName } from '@etcd-operator/tools/image';
import { beforeAll, describe, expect, test } from 'vitest';
import { theCluster } from './testing/cluster.ts';
import { idle, isRunning, mainStatus, shellPod } from './testing/scenes/pods.ts';
import { openScene } from './testing/scenes/scene.ts';
import { until } from './testing/until.ts';

const otherImage = 'docker.io/local/busybox:other';
const emptyDirectory = {
  volumes: [{ name: 'data', emptyDir: {} }],
  container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
};
/** Adds a line each time the container starts. */
const counting = `echo start >> /data/starts; ${idle}`;

beforeAll(async () => {
  const cluster = await theCluster();
  await cluster.importImage(await busyboxImage([otherImage]));
});

describe.each(['Always', 'Never'] as const)('with restartPolicy %s', (restartPolicy) => {
  test('a changed image restarts the container in place: same pod, same address, same data', async () => {
    await using scene = await openScene('image-change');
    await scene.create(shellPod('one', { restartPolicy, script: counting, ...emptyDirectory }));
    const before = await scene.podWhen('one', 'running', isRunning);
    await scene.kubectl('set', 'image', 'pod/one', `main=${otherImage}`);
    const after = await scene.podWhen(
      'one',
      'running the other image',
      (pod) => isRunning(pod) && mainStatus(pod)?.containerID !== mainStatus(before)?.containerID,
    );
    expect(after.metadata?.uid).toBe(before.metadata?.uid);
    expect(after.status?.podIP).toBe(before.status?.podIP);
    expect(mainStatus(after)?.restartCount).toBe(1);
    // A container runs a moment before its script.
    const starts = await until('a second start', async () => {
      const found = await scene.exec('one', 'cat', '/data/starts');
      return found === 'start\n' ? undefined : found;
    });
    expect(starts).toBe('start\nstart\n');
  });
});

test('an image that cannot be had takes the container down first', async () => {
  await using scene = await openScene('bad-image');
  await scene.create(shellPod('one', { restartPolicy: 'Always' }));
  const before = await scene.podWhen('one', 'running', isRunning);
  await scene.kubectl('set', 'image', 'pod/one', 'main=docker.io/local/nothing:none');
  await scene.podWhen('one', 'without a container', (pod) => mainStatus(pod)?.state?.waiting !== undefined);
  await scene.kubectl('set', 'image', 'pod/one', `main=${defaultBusyboxName}`);
  const after = await scene.podWhen('one', 'running again', isRunning);
  expect(after.metadata?.uid).toBe(before.metadata?.uid);
});

test('environment from an annotation is read again at each start of the container', async () => {
  await using scene = await openScene('annotation-env');
  const valueFrom = { fieldRef: { fieldPath: "metadata.annotations['example.com/boot']" } };
  await scene.create(
    shellPod('one', {
      annotations: { 'example.com/boot': 'set' },
      volumes: emptyDirectory.volumes,
      container: {
        ...emptyDirectory.container,
        env: [{ name: 'BOOT', valueFrom }],
        command: ['/bin/sh', '-c', `echo "$0" >> /data/boots; ${idle}`, '$(BOOT)'],
      },
    }),
  );
  await scene.podWhen('one', 'running', isRunning);
  await scene.kubectl('annotate', '--overwrite', 'pod/one', 'example.com/boot=cleared');
  const bootsAfter = (starts: number) =>
    until(`${starts} starts`, async () => {
      const found = await scene.exec('one', 'cat', '/data/boots');
      return found.split('\n').length > starts ? found : undefined;
    });
  expect(await bootsAfter(1)).toBe('set\n');
  // A kubelet that has not seen the change yet starts it once more as before.
  const boots = await until('a start that sees it', async () => {
    const { restartCount = 0 } = mainStatus(await scene.pod('one')) ?? {};
    // When the container ends, this command ends too.
    await scene.tryKubectl(['exec', 'one', '--', 'kill', '-TERM', '1']);
    const again = await scene.podWhen(
      'one',
      'restarted',
      (pod) => isRunning(pod) && (mainStatus(pod)?.restartCount ?? 0) > restartCount,
    );
    const found = await bootsAfter(1 + (mainStatus(again)?.restartCount ?? 0));
    return found.includes('cleared') ? found : undefined;
  });
  expect(boots).toMatch(/^(set\n)+cleared\n$/);
});

test('arguments, environment and probes of a pod cannot be changed; labels, annotations and the image can', async () => {
  await using scene = await openScene('immutable');
  await scene.create(shellPod('one', { container: { env: [{ name: 'A', value: '1' }] } }));
  await scene.podWhen('one', 'running', isRunning);
  const attempt = (patch: object) =>
    scene.tryKubectl(['patch', 'pod/one', '--type=json', '--patch', JSON.stringify([patch])]);
  const main = '/spec/containers/0';
  for (const [path, value] of [
    [`${main}/command`, ['sleep', '1']],
    [`${main}/env/0/value`, '2'],
    [`${main}/livenessProbe`, { tcpSocket: { port: 1 } }],
    ['/spec/restartPolicy', 'Never'],
  ] as const) {
    const { status, stderr } = await attempt({ op: 'add', path, value });
    expect({ path, status }).toEqual({ path, status: 1 });
    expect(stderr).toContain('pod updates may not change fields other than');
  }
  expect((await attempt({ op: 'add', path: '/metadata/labels', value: { a: 'b' } })).status).toBe(0);
});
