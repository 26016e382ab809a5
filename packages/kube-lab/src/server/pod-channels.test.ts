// SPDX-License-Identifier: Apache-2.0
import { createClient, exec, podLogs, pods, portForward, type Transport } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { createApiServer } from './api-server.ts';
import { AsyncPipe } from './async-pipe.ts';
import type { NodeProxy } from './node-proxy.ts';

/** A node whose programs report their arguments, echo their input, and exit with a code given as an argument. */
const echoNode: NodeProxy = {
  async log(_pod, { container, tailLines }) {
    return (async function* () {
      yield Buffer.from(`log of ${container} ${tailLines ?? 'all'}\n`);
    })();
  },
  async exec(_pod, { command }, streams) {
    await streams.stdout(Buffer.from(`ran ${command.join(' ')}\n`));
    for await (const bytes of streams.stdin) await streams.stdout(bytes);
    await streams.stderr(Buffer.from('done'));
    return Number(command.at(-1));
  },
  attach: () => Promise.resolve(0),
  async dial(_pod, port) {
    if (port !== 80) throw new Error(`nobody listens on ${port}`);
    const back = new AsyncPipe<Uint8Array>();
    return { incoming: back, write: (bytes) => back.push(bytes), end: () => back.end(), destroy: () => back.end() };
  },
};

async function start(): Promise<{ transport: Transport; close: () => Promise<void> }> {
  const server = createApiServer({ nodeProxy: echoNode });
  const transport = server.transport();
  await createClient(transport)
    .resource(pods)
    .create({
      metadata: { name: 'p', namespace: 'default' },
      spec: {
        nodeName: 'n',
        containers: [
          { name: 'a', image: 'x' },
          { name: 'b', image: 'x' },
        ],
      },
    });
  return { transport, close: () => server.close() };
}

const pod = { namespace: 'default', name: 'p' };

async function text(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

async function* input(...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(line);
}

describe('in process', () => {
  test('logs come from the node, of the container that is named', async () => {
    const { transport } = await start();
    expect(await text(podLogs(transport, pod, { container: 'b', tailLines: 5 }))).toBe('log of b 5\n');
    await expect(text(podLogs(transport, pod))).rejects.toMatchObject({
      message: expect.stringContaining('a container name must be specified for pod p, choose one of: [a b]'),
    });
  });

  test('exec carries input, output and the exit code', async () => {
    const { transport } = await start();
    let out = '';
    let err = '';
    const code = await exec(transport, pod, {
      container: 'a',
      command: ['sh', '7'],
      stdin: input('one ', 'two'),
      stdout: (bytes) => {
        out += Buffer.from(bytes).toString();
      },
      stderr: (bytes) => {
        err += Buffer.from(bytes).toString();
      },
    });
    expect([code, out, err]).toEqual([7, 'ran sh 7\none two', 'done']);
  });

  test('forwarded ports carry bytes both ways, and report if nothing listens', async () => {
    const { transport } = await start();
    const connection = await portForward(transport, pod, 80);
    await connection.write(Buffer.from('ping'));
    await connection.end();
    expect(await text(connection.incoming)).toBe('ping');
    const dead = await portForward(transport, pod, 81);
    await expect(text(dead.incoming)).rejects.toMatchObject({
      message: expect.stringContaining('nobody listens on 81'),
    });
  });

  test('a pod without a node has nothing to run in', async () => {
    const { transport } = await start();
    await createClient(transport)
      .resource(pods)
      .create({ metadata: { name: 'q', namespace: 'default' }, spec: { containers: [{ name: 'a', image: 'x' }] } });
    const options = { command: ['x'], stdout: () => undefined };
    await expect(exec(transport, { namespace: 'default', name: 'q' }, options)).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining('pod q does not have a host assigned'),
    });
  });
});
