// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { etcdImage, etcdParts, operatorImage, operatorImageName, writeOciArchive } from '@etcd-operator/tools/image';
import { describe, expect, test } from 'vitest';
import { isRunning, mainStatus, shellPod } from './testing/scenes/pods.ts';
import { openScene } from './testing/scenes/scene.ts';
import { until } from './testing/until.ts';

const restrictedPod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } as const;
const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
const node = '/usr/local/bin/node';

describe("the operator's image", () => {
  test('is under 60 MB as it travels', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-image-size-'));
    try {
      const { layerBytes } = await writeOciArchive(await operatorImage(), join(folder, 'image.tar'));
      expect(layerBytes).toBeLessThan(60e6);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('runs as an ordinary user on a read-only root file system', async () => {
    await using scene = await openScene('image', { podSecurity: 'restricted' });
    const script = 'console.log(process.getuid(), process.version); setInterval(() => {}, 1000)';
    await scene.create(
      shellPod('one', {
        image: operatorImageName,
        securityContext: restrictedPod,
        container: { command: [node, '-e', script], securityContext: restrictedContainer },
      }),
    );
    await scene.podWhen('one', 'running', isRunning);
    expect(await scene.exec('one', 'etcd-operator', '--version')).toMatch(/^etcd-operator \d+\.\d+\.\d+ /);
    const said = await until('it says who it is', async () => (await scene.kubectl('logs', 'one')) || undefined);
    expect(said).toMatch(/^1000 v24\./);
    await expect(scene.exec('one', 'sh', '-c', 'true')).rejects.toThrow('executable file not found');
  });

  test('starts its programs with less than half a second of work', async () => {
    await using scene = await openScene('image');
    // CPU time, because others use this machine too. The best of several.
    const script = `process.on('exit', () => {
        const { user, system } = process.cpuUsage();
        console.log('took ' + (user + system) / 1000);
      });
      await import('/usr/local/lib/etcd-operator/etcd-operator.mjs');`;
    const once = [node, '--input-type=module', '-e', script, 'etcd-operator', '--version'];
    await scene.create(
      shellPod('one', {
        image: operatorImageName,
        container: { command: [node, '-e', 'setInterval(() => {}, 1000)'] },
      }),
    );
    await scene.podWhen('one', 'running', isRunning);
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      times.push(Number(/took ([\d.]+)/.exec(await scene.exec('one', ...once))?.[1]));
    }
    expect(Math.min(...times)).toBeLessThan(500);
  });
});

describe('the etcd images', () => {
  test.each(etcdParts)('%s runs, by both of its names', async (part) => {
    const image = await etcdImage(part);
    await using scene = await openScene('etcd-image');
    const version = image.names[0]?.split(':v')[1] ?? '';
    const container = { command: ['/usr/local/bin/etcd', '--version'] };
    const podOf = (name: string, index: number) =>
      shellPod(`pod-${index}`, { image: name, restartPolicy: 'Never', container });
    await scene.create(...image.names.map(podOf));
    for (const index of image.names.keys()) {
      await scene.podWhen(`pod-${index}`, 'ended well', ({ status }) => status?.phase === 'Succeeded');
      expect(await scene.kubectl('logs', `pod-${index}`)).toContain(`etcd Version: ${version}\n`);
    }
  });

  test('of 3.4 has a shell, as CoreOS needs it for its probes, and that of 3.6 has none', async () => {
    await using scene = await openScene('etcd-shell');
    const names = [(await etcdImage('etcd@3.4')).names[0], (await etcdImage('etcd@3.6')).names[0]];
    const probe = 'ETCDCTL_API=3 etcdctl version';
    await scene.create(
      shellPod('old', {
        image: names[0] ?? '',
        restartPolicy: 'Never',
        container: { command: ['/bin/sh', '-ec', probe] },
      }),
      shellPod('new', {
        image: names[1] ?? '',
        restartPolicy: 'Never',
        container: { command: ['/bin/sh', '-ec', probe] },
      }),
    );
    await scene.podWhen('old', 'ended well', ({ status }) => status?.phase === 'Succeeded');
    const failed = await scene.podWhen('new', 'failed', ({ status }) => status?.phase === 'Failed');
    expect(mainStatus(failed)?.state?.terminated?.message).toContain('/bin/sh');
  });
});
