// SPDX-License-Identifier: Apache-2.0

import { ensurePart } from '@etcd-operator/tools';
import { type Pod, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxImages } from '../../images/busybox-image.ts';
import { nodeImage } from '../../images/host-image.ts';
import { createImageTable } from '../../images/image-table.ts';
import { type Lab, startLab } from '../../lab.ts';
import type { ExecOptions, ExecStreams, LogOptions } from '../../server/node-proxy.ts';

let lab: Lab;
let pod: Pod;
const key = { namespace: 'default', name: 'p' };
const never = new AbortController().signal;

beforeAll(async () => {
  const argv = ['-e', 'net.createServer((s) => s.end("from-loopback\\n")).listen(81, "127.0.0.1")'];
  const server = { repositories: ['loopback-server'], tags: { '*': nodeImage({ directories: [], argv }) } };
  lab = await startLab({ images: createImageTable([busyboxImages(await ensurePart('busybox')), server]) });
  const script = 'echo started; echo problem >&2; sleep 1000';
  const main = {
    name: 'main',
    image: 'busybox',
    command: ['sh', '-c', script],
    env: [{ name: 'COLOUR', value: 'blue' }],
  };
  const containers = [main, { name: 'server', image: 'loopback-server' }];
  await lab.client().resource(pods).create({ metadata: key, spec: { containers } });
  const running = async () =>
    (await lab.client().resource(pods).get(key)).status?.conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    );
  while (!(await running())) await new Promise((resolve) => setTimeout(resolve, 20));
  pod = await lab.client().resource(pods).get(key);
});

afterAll(() => lab?.stop());

async function log(options: Partial<LogOptions>, signal = never): Promise<string> {
  let text = '';
  const all = { container: 'main', follow: false, previous: false, timestamps: false, ...options };
  for await (const bytes of await lab.proxy.log(pod, all, signal)) text += Buffer.from(bytes).toString();
  return text;
}

async function exec(
  command: readonly string[],
  options: Partial<ExecOptions> = {},
  input: readonly string[] = [],
  sizes: readonly { width: number; height: number }[] = [],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const result = { stdout: '', stderr: '' };
  const streams: ExecStreams = {
    stdin: (async function* () {
      for (const text of input) yield Buffer.from(text);
    })(),
    resize: (async function* () {
      await new Promise((resolve) => setTimeout(resolve, 100));
      yield* sizes;
    })(),
    stdout: async (bytes) => {
      result.stdout += Buffer.from(bytes).toString();
    },
    stderr: async (bytes) => {
      result.stderr += Buffer.from(bytes).toString();
    },
  };
  const request = {
    container: 'main',
    command,
    stdin: input.length > 0,
    stdout: true,
    stderr: true,
    tty: false,
    ...options,
  };
  const code = await lab.proxy.exec(pod, request, streams, options.tty ? AbortSignal.timeout(60_000) : never);
  return { code, ...result };
}

describe('logs', () => {
  test('hold standard output and standard error in order', async () => {
    await expect.poll(() => log({})).toBe('started\nproblem\n');
    expect(await log({ tailLines: 1 })).toBe('problem\n');
    expect(await log({ timestamps: true })).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z started\n/);
    expect(await log({ sinceSeconds: 3600 })).toBe('started\nproblem\n');
  });

  test('that do not exist are refused with 400', async () => {
    await expect(log({ previous: true })).rejects.toMatchObject({ code: 400 });
  });

  test('are followed until the client goes', async () => {
    const controller = new AbortController();
    const options = { container: 'main', follow: true, previous: false, timestamps: false };
    let seen = '';
    const following = (async () => {
      for await (const bytes of await lab.proxy.log(pod, options, controller.signal)) seen += Buffer.from(bytes);
    })();
    await exec(['sh', '-c', 'echo more > /proc/1/fd/1']);
    await expect.poll(() => seen).toContain('more\n');
    controller.abort();
    await following;
  });
});

describe('exec', () => {
  test('runs in the container, with its environment, and passes its exit code on', async () => {
    expect(await exec(['sh', '-c', 'echo $COLOUR; echo oh >&2; exit 4'])).toEqual({
      code: 4,
      stdout: 'blue\n',
      stderr: 'oh\n',
    });
  });

  test('feeds standard input and large outputs through', async () => {
    const { stdout } = await exec(['wc', '-c'], {}, ['hello ', 'world']);
    expect(stdout.trim()).toBe('11');
    const large = await exec(['sh', '-c', 'dd if=/dev/zero bs=1024 count=2048 2>/dev/null | tr "\\0" x']);
    expect(large.stdout.length).toBe(2 * 1024 * 1024);
  });

  test('gives a terminal that can be resized', async () => {
    const command = ['sh', '-c', 'test -t 0 && echo terminal; until stty size | grep "42 101"; do sleep 0.1; done'];
    const { stdout } = await exec(command, { tty: true }, ['x'], [{ width: 101, height: 42 }]);
    expect(stdout).toContain('terminal');
    expect(stdout).toContain('42 101');
  });

  test('ends with the request', async () => {
    const controller = new AbortController();
    const streams: ExecStreams = {
      stdin: (async function* () {})(),
      resize: (async function* () {})(),
      stdout: async () => undefined,
      stderr: async () => undefined,
    };
    const request = {
      container: 'main',
      command: ['sleep', '999'],
      stdin: false,
      stdout: true,
      stderr: true,
      tty: false,
    };
    const running = lab.proxy.exec(pod, request, streams, controller.signal);
    await expect.poll(async () => (await exec(['ps'])).stdout).toContain('sleep 999');
    controller.abort();
    expect(await running).toBe(137);
    expect((await exec(['ps'])).stdout).not.toContain('sleep 999');
  });
});

test('port-forward reaches a server that listens on loopback alone', async () => {
  const read = async () => {
    let text = '';
    const channel = await lab.proxy.dial(pod, 81, never);
    for await (const bytes of channel.incoming) text += Buffer.from(bytes).toString();
    return text;
  };
  await expect.poll(() => read().catch(String)).toBe('from-loopback\n');
  await expect(lab.proxy.dial(pod, 82, never)).rejects.toThrow('ECONNREFUSED');
});
