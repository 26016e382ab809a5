// SPDX-License-Identifier: Apache-2.0
import { settle } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { channelTransport } from '../testing/channel-pair.ts';
import type { MessageChannel } from '../transport/transport.ts';
import { attach, exec } from './exec.ts';
import { closeMessage, exitCodeOf, statusOfExit, streamMessage, streams } from './remote-command.ts';

const pod = { namespace: 'ns', name: 'p' };
const v5 = 'v5.channel.k8s.io';
const command = ['echo', 'a b', '&'];

const write = (channel: MessageChannel, stream: number, text: string) =>
  channel.send(streamMessage(stream, Buffer.from(text)));

async function finish(channel: MessageChannel, exitCode: number): Promise<void> {
  await write(channel, streams.error, JSON.stringify(statusOfExit(exitCode)));
  channel.close();
}

async function* texts(...parts: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) yield Buffer.from(part);
}

describe('a command', () => {
  test('is asked for with its arguments, streams and container', async () => {
    const transport = channelTransport(v5, (channel) => finish(channel, 0));
    expect(
      await exec(transport, pod, { command, container: 'c', stdout: () => undefined, stderr: () => undefined }),
    ).toBe(0);
    expect(transport.requests).toMatchObject([
      {
        path: '/api/v1/namespaces/ns/pods/p/exec?command=echo&command=a+b&command=%26&container=c&stdout=true&stderr=true',
        protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
      },
    ]);
  });

  test('gives its output and exit code', async () => {
    const transport = channelTransport(v5, async (channel) => {
      await write(channel, streams.stdout, '');
      await write(channel, streams.stdout, 'out');
      await write(channel, streams.stderr, 'err');
      await write(channel, 77, 'unknown stream');
      await finish(channel, 3);
    });
    const seen: string[] = [];
    const code = await exec(transport, pod, {
      command,
      stdout: (bytes) => void seen.push(`1:${Buffer.from(bytes)}`),
      stderr: (bytes) => void seen.push(`2:${Buffer.from(bytes)}`),
    });
    expect({ code, seen }).toEqual({ code: 3, seen: ['1:out', '2:err'] });
  });

  test.each([
    [v5, ['in', 'put', 'end']],
    ['v4.channel.k8s.io', ['in', 'put']],
  ])('reads its input over %s', async (protocol, expected) => {
    const received: string[] = [];
    const transport = channelTransport(protocol, async (channel) => {
      for await (const message of channel.messages) {
        const end = Buffer.from(message).equals(closeMessage(streams.stdin));
        received.push(end ? 'end' : Buffer.from(message.subarray(1)).toString());
        if (received.length === expected.length) break;
      }
      await finish(channel, 0);
    });
    expect(await exec(transport, pod, { command, stdin: texts('in', 'put') })).toBe(0);
    expect(received).toEqual(expected);
  });

  test('has to wait for a slow reader of its output', async () => {
    let written = 0;
    const transport = channelTransport(v5, async (channel) => {
      for (; written < 10; written++) await write(channel, streams.stdout, 'x');
      await finish(channel, 0);
    });
    const gate = Promise.withResolvers<void>();
    const running = exec(transport, pod, { command, stdout: () => gate.promise });
    await settle(20);
    expect(written).toBeLessThan(3);
    gate.resolve();
    expect(await running).toBe(0);
    expect(written).toBe(10);
  });

  test('ends although its input does not', async () => {
    async function* endless() {
      for (;;) {
        yield Buffer.from('x');
        await settle(1);
      }
    }
    const transport = channelTransport(v5, async (channel) => {
      for await (const _ of channel.messages) break;
      await finish(channel, 0);
    });
    expect(await exec(transport, pod, { command, stdin: endless() })).toBe(0);
  });

  test('that could not be run fails with the Status', async () => {
    const status = { status: 'Failure', reason: 'InternalError', message: 'no such file', code: 500 };
    const transport = channelTransport(v5, (channel) => write(channel, streams.error, JSON.stringify(status)));
    await expect(exec(transport, pod, { command })).rejects.toMatchObject({ code: 'InternalError', httpStatus: 500 });
  });

  test('whose connection is lost first is not taken for a success', async () => {
    const transport = channelTransport(v5, async (channel) => channel.close());
    await expect(exec(transport, pod, { command })).rejects.toMatchObject({ code: 'ConnectionLost' });
  });

  test('with garbage for a Status fails', async () => {
    const transport = channelTransport(v5, (channel) => write(channel, streams.error, 'oops'));
    await expect(exec(transport, pod, { command })).rejects.toMatchObject({ code: 'BadResponse' });
  });

  test('whose sink or input fails is ended, with that very failure', async () => {
    const own = new Error('disk full');
    const transport = channelTransport(v5, (channel) => write(channel, streams.stdout, 'x'));
    const fail = () => Promise.reject(own);
    await expect(exec(transport, pod, { command, stdout: fail })).rejects.toBe(own);
    const quiet = channelTransport(v5, async (channel) => {
      for await (const _ of channel.messages);
    });
    async function* broken() {
      yield Buffer.from('x');
      throw own;
    }
    await expect(exec(quiet, pod, { command, stdin: broken() })).rejects.toBe(own);
  });

  test('that ends has its input returned, also while that is asked for what never comes', async () => {
    let returned = 0;
    const never: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => {
          returned++;
          return { done: true, value: undefined };
        },
      }),
    };
    const transport = channelTransport(v5, (channel) => finish(channel, 0));
    expect(await exec(transport, pod, { command, stdin: never })).toBe(0);
    await settle(3);
    expect(returned).toBe(1);
  });
});

test('attach sends sizes of the terminal', async () => {
  const received = Promise.withResolvers<string>();
  const transport = channelTransport(v5, async (channel) => {
    for await (const message of channel.messages) {
      received.resolve(`${message[0]} ${Buffer.from(message.subarray(1))}`);
      break;
    }
    await finish(channel, 0);
  });
  async function* sizes() {
    yield { columns: 80, rows: 24 };
  }
  expect(
    await attach(transport, pod, { tty: true, stdout: () => undefined, stderr: () => undefined, resize: sizes() }),
  ).toBe(0);
  expect(await received.promise).toBe('4 {"Width":80,"Height":24}');
  expect(transport.requests[0]?.path).toBe('/api/v1/namespaces/ns/pods/p/attach?stdout=true&tty=true');
});

test('exit codes survive the Status', () => {
  for (const code of [0, 1, 2, 137]) expect(exitCodeOf(statusOfExit(code))).toBe(code);
  for (const other of [null, 5, {}, { status: 'Failure' }, { reason: 'NonZeroExitCode' }])
    expect(exitCodeOf(other)).toBeUndefined();
});
