// SPDX-License-Identifier: Apache-2.0
/**
 * Programs that tests run in a separate process, to kill it or to run it as another user. They print their steps to
 * standard output, one JSON value for each line.
 *
 * hold BUSYBOX: starts a lab with pods that sleep, prints its folder, and waits to be killed.
 *
 * cycle BUSYBOX N: starts and stops N labs, each with a pod that ran.
 *
 * etcd DIRECTORY: runs an etcd with three members, disconnects one and heals it. Prints how long each step took.
 */
import { pods } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { busyboxImages } from '../../images/busybox-image.ts';
import { etcdImages } from '../../images/etcd-images.ts';
import { createImageTable } from '../../images/image-table.ts';
import { type Lab, startLab } from '../../lab.ts';
import { canWrite, createEtcd } from './etcd-pods.ts';

const [mode, path = '', count = '1'] = process.argv.slice(2);

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function until(condition: () => Promise<boolean>, limit = 60_000): Promise<void> {
  const end = systemClock.monotonic() + limit;
  while (!(await condition())) {
    if (systemClock.monotonic() > end) throw new Error(`not reached within ${limit} ms: ${condition}`);
    await systemClock.sleep(20);
  }
}

async function startSleepers(names: readonly string[]): Promise<Lab> {
  // Debian's busybox needs libraries. The libraries of the host work.
  const libraries = { '/lib': '/lib', '/lib64': '/lib64', '/usr/lib': '/usr/lib' };
  const lab = await startLab({ images: createImageTable([busyboxImages({ programs: { busybox: path }, libraries })]) });
  const client = lab.client().resource(pods);
  for (const name of names) {
    const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }];
    await client.create({
      metadata: { name, namespace: 'default' },
      spec: { containers, terminationGracePeriodSeconds: 1 },
    });
  }
  await until(async () => (await client.list()).items.every(({ status }) => status?.phase === 'Running'));
  return lab;
}

async function etcd(): Promise<void> {
  const members = ['etcd-0', 'etcd-1', 'etcd-2'];
  const programs = { etcd: `${path}/etcd`, etcdctl: `${path}/etcdctl` };
  const images = createImageTable([etcdImages([{ version: '3.6.16', programs, libraries: {} }])]);
  const begun = systemClock.monotonic();
  const lap = (step: string) => say({ step, milliseconds: Math.round(systemClock.monotonic() - begun) });
  await using lab = await startLab({ nodes: 3, images });
  lap('started');
  await createEtcd(
    lab.client(),
    members,
    lab.nodes.map(({ name }) => name),
  );
  for (const name of members) await until(() => canWrite(lab, name));
  lap('healthy');
  const fault = await lab.faults.network.isolate({ node: 'node-3' });
  await until(async () => !(await canWrite(lab, 'etcd-2')));
  await until(() => canWrite(lab, 'etcd-0'));
  lap('minority without a leader');
  await fault.heal();
  for (const name of members) await until(() => canWrite(lab, name));
  lap('healed');
}

switch (mode) {
  case 'hold': {
    const lab = await startSleepers(['a', 'b']);
    say({ directory: lab.directory, user: process.getuid?.() });
    break;
  }
  case 'cycle':
    for (let turn = 0; turn < Number(count); turn++) {
      const lab = await startSleepers(['a']);
      await lab.stop();
      say({ turn, directory: lab.directory });
    }
    break;
  case 'etcd':
    await etcd();
    break;
  default:
    throw new Error(`unknown mode ${mode}`);
}
