// SPDX-License-Identifier: Apache-2.0

import { ensurePart } from '@etcd-operator/tools';
import { type Client, nodes, type Pod, podDisruptionBudgets, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { busyboxImages } from '../../images/busybox-image.ts';
import { createImageTable } from '../../images/image-table.ts';
import { type Lab, startLab } from '../../lab.ts';

const namespace = 'default';
const soon = { timeout: 60_000, interval: 50 };
let lab: Lab;
let client: Client;

beforeAll(async () => {
  lab = await startLab({
    nodes: 2,
    timeFactor: 10,
    images: createImageTable([busyboxImages(await ensurePart('busybox'))]),
  });
  client = lab.client();
});

afterAll(() => lab?.stop());

const idle = 'trap "exit 0" TERM; while :; do date +%s%N > /beat; sleep 0.05; done';

/** Starts a pod with a volume in memory or on disk, and waits until it runs. */
async function start(name: string, options: { node?: string; memory?: boolean; labels?: Record<string, string> } = {}) {
  const { node, memory, labels = {} } = options;
  const emptyDir = memory ? { medium: 'Memory', sizeLimit: '1Mi' } : {};
  await client.resource(pods).create({
    metadata: { namespace, name, labels },
    spec: {
      ...(node ? { nodeSelector: { 'kubernetes.io/hostname': node } } : {}),
      terminationGracePeriodSeconds: 1,
      volumes: [{ name: 'v', emptyDir }],
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sh', '-c', idle],
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        },
      ],
    },
  });
  await expect.poll(async () => (await read(name)).status?.phase, soon).toBe('Running');
}

const read = (name: string): Promise<Pod> => client.resource(pods).get({ namespace, name });
const key = (name: string) => ({ namespace, name });

/** The output of a command in a pod. */
async function run(name: string, script: string): Promise<string> {
  const text = { out: '' };
  const streams = {
    stdin: (async function* () {})(),
    resize: (async function* () {})(),
    stdout: async (bytes: Uint8Array) => {
      text.out += Buffer.from(bytes).toString();
    },
    stderr: async (bytes: Uint8Array) => {
      text.out += Buffer.from(bytes).toString();
    },
  };
  const command = ['sh', '-c', script];
  const request = { container: 'main', command, stdin: false, stdout: true, stderr: true, tty: false };
  await lab.proxy.exec(await read(name), request, streams, AbortSignal.timeout(60_000));
  return text.out;
}

const remove = (name: string) => client.resource(pods).delete(key(name), { gracePeriodSeconds: 0 });

describe('a disk', () => {
  test('that is full takes nothing more until it is relieved', async () => {
    await start('full', { memory: true });
    await lab.faults.disk.fill(key('full'), 'v');
    expect(await run('full', 'echo more > /v/more; echo done')).toContain('No space left on device');
    await lab.faults.disk.relieve(key('full'), 'v');
    expect(await run('full', 'echo more > /v/more && cat /v/more')).toBe('more\n');
    await remove('full');
  });

  test('that has no hard size cannot be filled, and says how one that can is had', async () => {
    await start('wide');
    await expect(lab.faults.disk.fill(key('wide'), 'v')).rejects.toThrow('use the storage class memory');
    await expect(lab.faults.disk.fill(key('wide'), 'none')).rejects.toThrow('has no volume none');
    await remove('wide');
  });

  test('can be blanked, corrupted, and swapped with that of another pod', async () => {
    await start('one', { memory: true });
    await start('two', { memory: true });
    for (const name of ['one', 'two']) await run(name, `mkdir /v/d; echo "${name} has this" > /v/d/file`);
    await lab.faults.disk.swap(key('one'), key('two'), 'v');
    expect(await run('one', 'cat /v/d/file')).toBe('two has this\n');
    expect(await run('two', 'cat /v/d/file')).toBe('one has this\n');
    expect(await lab.faults.disk.corrupt(key('one'), 'v', 'file')).toEqual(['d/file']);
    const spoilt = await run('one', 'cat /v/d/file');
    expect(spoilt).not.toBe('two has this\n');
    expect(await run('one', 'wc -c < /v/d/file')).toBe('13\n');
    await expect(lab.faults.disk.corrupt(key('one'), 'v', 'nothing')).rejects.toThrow('no file that matches');
    await lab.faults.disk.blank(key('two'), 'v');
    expect(await run('two', 'ls -A /v')).toBe('');
    for (const name of ['one', 'two']) await remove(name);
  });
});

describe('a node', () => {
  test('that is cordoned gets no new pods, and gets them again when it is healed', async () => {
    const fault = await lab.faults.node.cordon('node-1');
    expect((await client.resource(nodes).get({ name: 'node-1' })).spec?.unschedulable).toBe(true);
    await start('elsewhere');
    expect((await read('elsewhere')).spec?.nodeName).toBe('node-2');
    await fault.heal();
    expect((await client.resource(nodes).get({ name: 'node-1' })).spec?.unschedulable).toBeUndefined();
    await remove('elsewhere');
  });

  test('that is drained keeps to budgets: the drain waits until one allows it', async () => {
    await start('guarded', { node: 'node-1', labels: { app: 'guarded' } });
    const budgets = client.resource(podDisruptionBudgets);
    const selector = { matchLabels: { app: 'guarded' } };
    await budgets.create({ metadata: key('guarded'), spec: { minAvailable: 1, selector } });
    await expect.poll(async () => (await budgets.get(key('guarded'))).status?.currentHealthy, soon).toBe(1);
    const drain = lab.faults.node.drain('node-1', AbortSignal.timeout(60_000));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await read('guarded')).metadata?.deletionTimestamp).toBeUndefined();
    await budgets.delete(key('guarded'));
    await (await drain).heal();
    await expect(read('guarded')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('that is frozen stands still, kubelet and all, and goes on when it is thawed', async () => {
    await start('still', { node: 'node-2' });
    const fault = await lab.faults.node.freeze('node-2');
    await remove('still');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await fault.heal();
    await expect(read('still')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test.each([
    ['kept', true, 'before\n'],
    ['lost', false, 'nothing\n'],
  ])('that reboots with its folders %s restarts its pods', async (name, keepEmptyDirs, left) => {
    await start(name, { node: 'node-1' });
    await run(name, 'echo before > /v/file');
    const { containerID } = (await read(name)).status?.containerStatuses?.[0] ?? {};
    await lab.faults.node.reboot('node-1', { keepEmptyDirs });
    const again = async () => {
      const [status] = (await read(name)).status?.containerStatuses ?? [];
      return status?.state?.running !== undefined && status.containerID !== containerID;
    };
    await expect.poll(again, soon).toBe(true);
    expect(await run(name, 'cat /v/file 2>/dev/null || echo nothing')).toBe(left);
    await remove(name);
  });

  test('a kubelet that is disconnected from the API server sends nothing until it is healed', async () => {
    const fault = await lab.faults.network.cut({ node: 'node-2' }, 'api-server', { oneWay: true });
    await client.resource(pods).create({
      metadata: key('unheard'),
      spec: {
        nodeName: 'node-2',
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', idle] }],
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await read('unheard')).status?.phase).toBe('Pending');
    await fault.heal();
    await expect.poll(async () => (await read('unheard')).status?.phase, soon).toBe('Running');
    await remove('unheard');
  });

  test('can be slow: what its pods receive comes at a rate', async () => {
    await start('slow', { node: 'node-1' });
    await run('slow', '(tail -f /dev/null | nc -l -p 7000 > /v/got) > /dev/null 2>&1 &');
    await using _fault = await lab.faults.network.slow({ pod: key('slow') }, { kilobitsPerSecond: 400 });
    // nc listens a moment after its start.
    const socket = await vi.waitFor(() => lab.dial({ pod: 'slow' }, 7000), soon);
    const begun = performance.now();
    socket.write(Buffer.alloc(100_000));
    await expect.poll(() => run('slow', 'wc -c < /v/got'), soon).toBe('100000\n');
    // 800 kbit at 400 kbit/s; the first ones pass at once.
    expect(performance.now() - begun).toBeGreaterThan(1000);
    socket.destroy();
    await remove('slow');
  });
});
