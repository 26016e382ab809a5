// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, connect as dial, type Socket } from 'node:net';
import { Duplex, duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Connection } from './connection.ts';
import { DataTap } from './data-tap.ts';

const windowBytes = 4 * 1024 * 1024;
const endStream = 0x1;
const padded = 0x8;

function frame(type: number, flags: number, payload: Uint8Array, streamId = 1): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.byteLength, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}

/** A tap on a connection whose other end is the test. */
function tapped(window = windowBytes) {
  const [socket, peer] = duplexPair();
  const tap = new DataTap(socket, window);
  const content: Buffer[] = [];
  const passed: Buffer[] = [];
  tap.listen((bytes) => content.push(Buffer.from(bytes)));
  tap.on('data', (bytes: Buffer) => passed.push(bytes));
  tap.on('error', () => undefined);
  return { tap, peer, content: () => Buffer.concat(content), passed: () => Buffer.concat(passed) };
}

interface Sample {
  readonly type: number;
  readonly payload: Uint8Array;
  readonly padding: number | undefined;
  readonly isLast: boolean;
}

const sample: fc.Arbitrary<Sample> = fc.record({
  type: fc.constantFrom(0, 0, 0, 1, 4, 6),
  payload: fc.uint8Array({ maxLength: 300 }),
  padding: fc.option(fc.nat(20), { nil: undefined }),
  isLast: fc.boolean(),
});

function wireOf({ type, payload, padding, isLast }: Sample): Buffer {
  if (type !== 0) return frame(type, 0x4, payload);
  const last = isLast ? endStream : 0;
  if (padding === undefined) return frame(0, last, payload);
  return frame(0, last | padded, Buffer.concat([Uint8Array.of(padding), payload, Buffer.alloc(padding, 0xee)]));
}

describe('a data tap', () => {
  test('takes out the content of DATA frames and passes all else on, wherever the reads break', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { maxLength: 12 }), cuts, async (samples, lengths) => {
        const { tap, peer, content, passed } = tapped();
        const wire = Buffer.concat(samples.map(wireOf));
        for (let at = 0, turns = 0; at < wire.byteLength; turns++) {
          const length = lengths[turns % lengths.length] ?? 1;
          peer.write(wire.subarray(at, at + length));
          at += length;
        }
        const data = samples.filter(({ type }) => type === 0);
        const rest = samples.flatMap((one) => {
          if (one.type !== 0) return [wireOf(one)];
          return one.isLast ? [frame(0, endStream, new Uint8Array(0))] : [];
        });
        const contentExpected = Buffer.concat(data.map(({ payload }) => payload));
        const passedExpected = Buffer.concat(rest);
        const isThere = () =>
          content().byteLength === contentExpected.byteLength && passed().byteLength === passedExpected.byteLength;
        for (let turns = 0; turns < 1_000 && !isThere(); turns++) await turn();
        expect(content()).toEqual(contentExpected);
        expect(passed()).toEqual(passedExpected);
        tap.destroy();
      }),
      { numRuns: 60 },
    );
  });

  test('what has been used may be sent again, on the connection and on the stream', async () => {
    const { tap, peer, content } = tapped(1_000);
    const written: Buffer[] = [];
    peer.on('data', (bytes: Buffer) => written.push(bytes));
    peer.write(frame(0, 0, Buffer.alloc(900), 7));
    await expect.poll(() => content().byteLength).toBe(900);
    tap.release(800);
    tap.release(100);
    const credit = Buffer.from([0, 0, 3, 32]);
    await expect
      .poll(() => Buffer.concat(written))
      .toEqual(Buffer.concat([frame(8, 0, credit, 0), frame(8, 0, credit, 7)]));
    tap.destroy();
  });

  test('a member that sends more than it may loses its connection', async () => {
    const { tap, peer } = tapped(1_000);
    const failed = new Promise<Error>((resolve) => tap.once('error', resolve));
    peer.write(frame(0, 0, Buffer.alloc(600)));
    peer.write(frame(0, 0, Buffer.alloc(600)));
    expect((await failed).message).toBe('the member sent more data than HTTP/2 flow control allows');
    expect(tap.destroyed).toBe(true);
  });

  test('ends with its connection, and its connection with it', async () => {
    const left = tapped();
    left.peer.end();
    await expect.poll(() => left.tap.readableEnded).toBe(true);
    const broken = new Duplex({ read: () => undefined, write: () => undefined });
    const tap = new DataTap(broken, windowBytes);
    const failed = new Promise<Error>((resolve) => tap.once('error', resolve));
    broken.destroy(new Error('cut'));
    expect((await failed).message).toBe('cut');
    const kept = new Duplex({ read: () => undefined, write: () => undefined });
    new DataTap(kept, windowBytes).destroy();
    await expect.poll(() => kept.destroyed).toBe(true);
  });

  test('leaves buffers alone that are not a socket’s own', async () => {
    const { tap, peer, content } = tapped();
    const wire = Buffer.from(new Uint8Array(frame(0, 0, Buffer.from('kept'))).buffer);
    peer.write(wire);
    await expect.poll(() => content().toString()).toBe('kept');
    expect(wire.byteLength).toBe(13);
    tap.destroy();
  });
});

describe('an answer over HTTP/2 through a tap', () => {
  test('is complete, with its headers and trailers, though it is larger than the window', async () => {
    const bytes = Buffer.alloc(3 * 1024 * 1024, 'content');
    const server = createServer();
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(bytes);
    });
    const front = createTcpServer((socket) => server.emit('connection', socket));
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const { port } = front.address() as AddressInfo;
    const socket = await new Promise<Socket>((resolve) => {
      const opened = dial(port, '127.0.0.1', () => resolve(opened));
    });
    const window = 256 * 1024;
    const tap = new DataTap(socket, window);
    const limits = { idleMs: 60_000, keepaliveMs: 60_000, pingTimeoutMs: 60_000, windowBytes: window };
    const connection = new Connection(tap, `http://127.0.0.1:${port}`, systemClock, limits);
    const seen: Buffer[] = [];
    tap.listen((piece) => {
      seen.push(Buffer.from(piece));
      tap.release(0);
    });
    const stream = connection.request({ ':method': 'POST', ':path': '/' });
    stream.on('error', () => undefined);
    const trailers = new Promise<unknown>((resolve) =>
      stream.once('trailers', (found) => resolve(found['grpc-status'])),
    );
    const ended = new Promise<void>((resolve) => stream.once('end', resolve));
    stream.resume();
    stream.end();
    expect(await trailers).toBe('0');
    await ended;
    expect(Buffer.concat(seen).equals(bytes)).toBe(true);
    connection.destroy();
    await expect.poll(() => socket.destroyed).toBe(true);
    await new Promise<void>((resolve) => front.close(() => resolve()));
  });
});
