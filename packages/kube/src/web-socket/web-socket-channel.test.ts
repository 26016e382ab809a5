// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { TestAuthority } from '@etcd-operator/tools';
import { seededRandom, systemClock } from '@operator-parts/ports';
import { WebSocket } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../testing/local-server.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import type { MessageChannel } from '../transport/transport.ts';
import { answerUpgrade } from './handshake.ts';
import { WebSocketChannel } from './web-socket-channel.ts';

const random = seededRandom(1);
const clock = systemClock;
const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

/** A server that upgrades every request and passes the channel to `handle`. */
async function serve(
  handle: (channel: MessageChannel, socket: Duplex) => unknown,
  tls?: { cert: string; key: string },
) {
  const server = await startServer(
    (_, response) => response.writeHead(403).end('{"kind":"Status","reason":"Forbidden"}'),
    tls,
  );
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const answer = answerUpgrade(request.headers, ['echo', 'other']);
    if (!answer) {
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 3\r\n\r\nno!');
      return;
    }
    socket.write(answer.response);
    socket.unshift(head);
    const channel = new WebSocketChannel({ socket, protocol: answer.protocol, role: 'server', clock, random });
    // The tests of the client check what it does with the connection.
    Promise.resolve(handle(channel, socket)).catch(() => undefined);
  });
  cleanUp.push(() => server.close());
  return server;
}

function transportTo(url: string, ca?: string): HttpTransport {
  const transport = new HttpTransport({ server: url, clock, random, ...(ca ? { tls: () => ({ ca }) } : {}) });
  cleanUp.push(() => transport.close());
  return transport;
}

async function echo(channel: MessageChannel): Promise<void> {
  for await (const message of channel.messages) await channel.send(message);
}

const request = { path: '/exec', protocols: ['unknown', 'echo'] };

describe('a channel', () => {
  test('carries messages of any size both ways, over TLS', async () => {
    const authority = await TestAuthority.create();
    const server = await serve(echo, await authority.server('127.0.0.1'));
    const channel = await transportTo(server.url, authority.ca).connect(request);
    expect(channel.protocol).toBe('echo');
    const sizes = [0, 1, 125, 126, 70_000, 3_000_000];
    const sending = (async () => {
      for (const size of sizes) await channel.send(new Uint8Array(size).fill(size % 251));
    })();
    const received: Uint8Array[] = [];
    for await (const message of channel.messages) {
      received.push(message);
      if (received.length === sizes.length) break;
    }
    await sending;
    expect(received.map((message) => [message.length, message.at(-1)])).toEqual(
      sizes.map((size) => [size, size ? size % 251 : undefined]),
    );
  });

  test('ends when the peer closes, after all that the peer sent', async () => {
    const server = await serve(async (channel) => {
      await channel.send(Buffer.from('last'));
      channel.close();
    });
    const channel = await transportTo(server.url).connect(request);
    const received: string[] = [];
    for await (const message of channel.messages) received.push(Buffer.from(message).toString());
    expect(received).toEqual(['last']);
    await expect(channel.send(Buffer.from('x'))).rejects.toThrow('closed');
  });

  test('tells the peer when it is closed', async () => {
    const ended = Promise.withResolvers<string>();
    const server = await serve((channel) => echo(channel).then(() => ended.resolve('quietly'), ended.reject));
    const channel = await transportTo(server.url).connect(request);
    channel.close();
    expect(await ended.promise).toBe('quietly');
  });

  test('that is cut throws, on either side', async () => {
    const server = await serve((_, socket) => socket.destroy());
    const channel = await transportTo(server.url).connect(request);
    await expect(echo(channel)).rejects.toThrow(/close|ECONNRESET|socket/i);
  });

  test('that is closed with an error throws with its code and reason', async () => {
    const server = await serve((_, socket) => {
      const reason = Buffer.from('\x03\xf3oops', 'latin1');
      socket.write(Buffer.concat([Buffer.from([0x88, reason.length]), reason]));
    });
    const channel = await transportTo(server.url).connect(request);
    await expect(echo(channel)).rejects.toMatchObject({
      closeCode: 1011,
      message: 'closed by the peer with 1011: oops',
    });
  });

  test('that breaks the protocol throws', async () => {
    const server = await serve((_, socket) => socket.write(Uint8Array.of(0xff, 0xff)));
    const channel = await transportTo(server.url).connect(request);
    await expect(echo(channel)).rejects.toMatchObject({ name: 'ChannelClosedError' });
  });

  test('ends with the signal of its request', async () => {
    const server = await serve(echo);
    const controller = new AbortController();
    const channel = await transportTo(server.url).connect({ ...request, signal: controller.signal });
    const reading = echo(channel);
    controller.abort('enough');
    await expect(reading).rejects.toMatchObject({ code: 'Aborted', cause: 'enough' });
  });

  test('does not read ahead of a slow consumer: the sender waits', async () => {
    let sent = 0;
    const server = await serve(async (channel) => {
      for (; sent < 1000; sent++) await channel.send(new Uint8Array(100_000));
      channel.close();
    });
    const channel = await transportTo(server.url).connect(request);
    const iterator = channel.messages[Symbol.asyncIterator]();
    await iterator.next();
    let before = -1;
    while (before !== sent) {
      before = sent;
      await clock.sleep(30);
    }
    expect(sent).toBeLessThan(200);
    let rest = 0;
    while (!(await iterator.next()).done) rest++;
    expect(rest).toBe(999);
  });

  test('answers pings', async () => {
    const pong = Promise.withResolvers<number>();
    const server = await serve((_, socket) => {
      socket.write(Uint8Array.of(0x89, 0));
      socket.once('data', (bytes: Buffer) => {
        pong.resolve(bytes[0] ?? 0);
        socket.destroy();
      });
    });
    const channel = await transportTo(server.url).connect(request);
    const reading = echo(channel).catch(() => undefined);
    expect(await pong.promise).toBe(0x8a);
    await reading;
  });
});

describe('opening', () => {
  test('is refused with the Status of the server', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(403).end('{"kind":"Status","reason":"Forbidden","message":"no exec"}');
    });
    cleanUp.push(() => server.close());
    await expect(transportTo(server.url).connect(request)).rejects.toMatchObject({
      code: 'Forbidden',
      httpStatus: 403,
      message: 'GET /exec: no exec',
    });
  });

  test('fails if the server knows no subprotocol of ours', async () => {
    const server = await serve(echo);
    const connecting = transportTo(server.url).connect({ path: '/', protocols: ['unknown'] });
    await expect(connecting).rejects.toMatchObject({ code: 'BadRequest', httpStatus: 400 });
  });

  test('fails if the server answers for another key', async () => {
    const server = await startServer(() => undefined);
    server.server.on('upgrade', (_: IncomingMessage, socket: Duplex) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n',
      );
    });
    cleanUp.push(() => server.close());
    await expect(transportTo(server.url).connect(request)).rejects.toMatchObject({ code: 'BadResponse' });
  });

  test('can be aborted', async () => {
    const controller = new AbortController();
    const server = await startServer(() => undefined);
    server.server.on('upgrade', () => controller.abort('changed my mind'));
    cleanUp.push(() => server.close());
    const connecting = transportTo(server.url).connect({ ...request, signal: controller.signal });
    await expect(connecting).rejects.toMatchObject({ code: 'Aborted', cause: 'changed my mind' });
  });
});

test('the server side talks to a client of another make', async () => {
  const server = await serve(echo);
  const socket = new WebSocket(server.url.replace('http', 'ws'), ['echo']);
  socket.binaryType = 'arraybuffer';
  const answer = Promise.withResolvers<number>();
  socket.addEventListener('open', () => socket.send(new Uint8Array(70_000)));
  socket.addEventListener('message', ({ data }) => answer.resolve((data as ArrayBuffer).byteLength));
  socket.addEventListener('error', () => answer.reject(new Error('failed')));
  expect(await answer.promise).toBe(70_000);
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
  socket.close();
  expect(await closed).toBe(1000);
});
