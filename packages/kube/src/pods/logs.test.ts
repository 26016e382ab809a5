// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { json, pieces, scriptedTransport, stallAfter, text } from '../testing/scripted-transport.ts';
import { podLogLines, podLogs } from './logs.ts';

const pod = { namespace: 'ns', name: 'p' };
const bytes = (...parts: readonly string[]) => parts.map((part) => Buffer.from(part));

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a log', () => {
  test('is asked for as a stream with all options', async () => {
    const transport = scriptedTransport(() => text('hello\n'));
    const options = { container: 'c', follow: true, tailLines: 5, sinceTime: '2026-01-01T00:00:00Z', timestamps: true };
    const parts = await collect(podLogs(transport, pod, options));
    expect(Buffer.concat(parts as Uint8Array[]).toString()).toBe('hello\n');
    expect(transport.requests).toMatchObject([
      {
        method: 'GET',
        streaming: true,
        path: '/api/v1/namespaces/ns/pods/p/log?container=c&follow=true&tailLines=5&sinceTime=2026-01-01T00%3A00%3A00Z&timestamps=true',
      },
    ]);
  });

  test('comes line by line, however it is cut', async () => {
    const [first, second] = [Buffer.from('ä1\nä2\nrest').subarray(0, 1), Buffer.from('ä1\nä2\nrest').subarray(1)];
    const transport = scriptedTransport(() => ({ status: 200, headers: {}, body: pieces(first, second) }));
    expect(await collect(podLogLines(transport, pod))).toEqual(['ä1', 'ä2', 'rest']);
  });

  test('with a line that never ends is handed out in pieces', async () => {
    const transport = scriptedTransport(() => ({
      status: 200,
      headers: {},
      body: pieces(...bytes('abc', 'defg', 'h\ni')),
    }));
    expect(await collect(podLogLines(transport, pod, { maxLineLength: 3 }))).toEqual(['abc', 'def', 'gh', 'i']);
  });

  test('that is refused fails with the Status', async () => {
    const status = { kind: 'Status', reason: 'BadRequest', message: 'container is waiting to start' };
    const transport = scriptedTransport(() => json(status, 400));
    await expect(collect(podLogs(transport, pod))).rejects.toMatchObject({
      code: 'BadRequest',
      message: 'GET /api/v1/namespaces/ns/pods/p/log: container is waiting to start',
    });
  });

  test('that is followed ends with the signal', async () => {
    const controller = new AbortController();
    const transport = scriptedTransport(({ signal }) => ({
      status: 200,
      headers: {},
      body: stallAfter(signal, ...bytes('a\n')),
    }));
    const lines: string[] = [];
    const reading = (async () => {
      for await (const line of podLogLines(transport, pod, { follow: true, signal: controller.signal })) {
        lines.push(line);
        controller.abort('enough');
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'Aborted', cause: 'enough' });
    expect(lines).toEqual(['a']);
  });
});
