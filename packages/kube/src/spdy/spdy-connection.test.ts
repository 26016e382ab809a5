// SPDX-License-Identifier: Apache-2.0
import { settle } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { channelPair } from '../testing/channel-pair.ts';
import type { MessageChannel } from '../transport/transport.ts';
import { encodeFrame } from './frame.ts';
import { type ByteLink, SpdyConnection } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';

/** A client and a server that passes each stream to `serve`. */
function pair(serve: (stream: SpdyStream) => Promise<void>) {
  const [left, right] = channelPair('SPDY/3.1');
  const client = new SpdyConnection({ link: left, role: 'client' });
  const server = new SpdyConnection({
    link: right,
    role: 'server',
    onStream: (stream) => void serve(stream).catch(() => undefined),
  });
  const running = [client.run(), server.run()].map((run) => run.catch((error: unknown) => error));
  return { client, server, left, right, running };
}

async function textOf(stream: SpdyStream): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream.incoming) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function echo(stream: SpdyStream): Promise<void> {
  for await (const piece of stream.incoming) await stream.write(piece);
  await stream.end();
}

describe('streams', () => {
  test('carry headers and bytes both ways, side by side, each to its end', async () => {
    const seen: unknown[] = [];
    const { client, running } = pair((stream) => {
      seen.push(stream.headers);
      return echo(stream);
    });
    const texts = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const stream = await client.open({ streamType: name });
        await stream.write(Buffer.from(name.repeat(100_000)));
        await stream.end();
        return textOf(stream);
      }),
    );
    expect(texts.map((text) => [text[0], text.length])).toEqual([
      ['a', 100_000],
      ['b', 100_000],
      ['c', 100_000],
    ]);
    expect(seen).toEqual([{ streamtype: 'a' }, { streamtype: 'b' }, { streamtype: 'c' }]);
    client.close();
    await Promise.all(running);
  });

  test('that are reset tell the other side', async () => {
    const { client } = pair(async (stream) => stream.reset());
    const stream = await client.open({});
    await expect(textOf(stream)).rejects.toThrow('the peer has reset the stream (status 5)');
    await expect(stream.write(Buffer.from('x'))).rejects.toThrow('reset');
    client.close();
  });

  test('end with the connection', async () => {
    const { client, right, running } = pair(async () => undefined);
    const stream = await client.open({});
    const reading = textOf(stream);
    right.close();
    await expect(reading).rejects.toThrow('the connection was closed');
    await expect(client.open({})).rejects.toThrow('closed');
    await Promise.all(running);
  });

  test('whose bytes are not read blocks the sender, and continues when they are', async () => {
    let sent = 0;
    const { client } = pair(async (stream) => {
      for (; sent < 100; sent++) await stream.write(new Uint8Array(32_768));
      await stream.end();
    });
    const stream = await client.open({});
    await settle(50);
    const stalled = sent;
    await settle(50);
    expect(sent).toBe(stalled);
    expect(sent).toBeLessThan(20);
    expect((await textOf(stream)).length).toBe(100 * 32_768);
    client.close();
  });

  test('abandoned streams do not block the others', async () => {
    const { client } = pair(async (stream) => {
      for (let count = 0; count < 100; count++) await stream.write(new Uint8Array(32_768));
      await stream.end();
    });
    const given = await client.open({});
    for await (const _ of given.incoming) break;
    expect((await textOf(await client.open({}))).length).toBe(100 * 32_768);
    client.close();
  });

  test('cannot be written to after their end', async () => {
    const { client } = pair(echo);
    const stream = await client.open({});
    await stream.end();
    await stream.end();
    await expect(stream.write(Buffer.from('x'))).rejects.toThrow('ended already');
    client.close();
  });

  test('that the peer does not accept are refused', async () => {
    const { server } = pair(echo);
    await expect(server.open({})).rejects.toThrow('reset');
    server.close();
  });
});

describe('a connection', () => {
  function against(): {
    readonly connection: SpdyConnection;
    readonly peer: MessageChannel;
    readonly run: Promise<unknown>;
  } {
    const [left, peer] = channelPair('SPDY/3.1');
    const connection = new SpdyConnection({ link: left, role: 'server', onStream: () => undefined });
    return { connection, peer, run: connection.run().catch((error: unknown) => error) };
  }

  test('answers the pings of its peer', async () => {
    const { connection, peer } = against();
    const ping = encodeFrame({ type: 'ping', id: 7 });
    await peer.send(ping);
    for await (const answer of peer.messages) {
      expect([...answer]).toEqual([...ping]);
      break;
    }
    connection.close();
  });

  test('ends with an error when the peer breaks the protocol', async () => {
    const { peer, run } = against();
    await peer.send(Uint8Array.of(0x80, 9, 0, 1, 0, 0, 0, 0));
    expect(await run).toMatchObject({ name: 'SpdyError' });
  });

  test('ignores frames of unknown streams', async () => {
    const { connection, peer, run } = against();
    await peer.send(encodeFrame({ type: 'data', stream: 99, fin: true, payload: Buffer.from('x') }));
    await peer.send(encodeFrame({ type: 'reset', stream: 99, status: 1 }));
    await peer.send(encodeFrame({ type: 'go-away', lastStream: 0, status: 0 }));
    connection.close();
    expect(await run).toBeUndefined();
  });
});

test('a connection that is lost while a stream is being requested fails the request, and nothing else', async () => {
  const lost = new Error('the channel was aborted');
  const link: ByteLink = {
    // Reading fails first, sending a moment later.
    send: () => new Promise((_, reject) => setTimeout(() => reject(lost), 10)),
    messages: {
      async *[Symbol.asyncIterator]() {
        await Promise.resolve();
        yield* [];
        throw lost;
      },
    },
    close: () => undefined,
  };
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  try {
    const connection = new SpdyConnection({ link, role: 'client' });
    const ended = connection.run().catch((error: unknown) => error);
    await expect(connection.open({ streamtype: 'error' })).rejects.toBe(lost);
    expect(await ended).toBe(lost);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
  expect(unhandled).toEqual([]);
});
