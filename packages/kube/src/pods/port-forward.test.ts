// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { channelTransport } from '../testing/channel-pair.ts';
import { portForward, portForwardHeaders, portForwardProtocol } from './port-forward.ts';

const pod = { namespace: 'ns', name: 'p' };

/** The API server's side: passes the two streams of each connection to `serve`. */
function serving(serve: (data: SpdyStream, errors: SpdyStream) => Promise<void>) {
  return channelTransport(portForwardProtocol, async (link) => {
    let errors: SpdyStream | undefined;
    const connection = new SpdyConnection({
      link,
      role: 'server',
      onStream: (stream) => {
        if (stream.headers[portForwardHeaders.streamType] === 'error') errors = stream;
        else if (errors) void serve(stream, errors).catch(() => undefined);
      },
    });
    await connection.run();
  });
}

describe('a forwarded connection', () => {
  test('carries bytes both ways until the pod ends it', async () => {
    const transport = serving(async (data, errors) => {
      for await (const bytes of data.incoming)
        await data.write(Buffer.from(Buffer.from(bytes).toString().toUpperCase()));
      await errors.end();
      await data.end();
    });
    const connection = await portForward(transport, pod, 2379);
    await connection.write(Buffer.from('hello '));
    await connection.write(Buffer.from('pod'));
    await connection.end();
    const pieces: Uint8Array[] = [];
    for await (const piece of connection.incoming) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('HELLO POD');
    expect(transport.requests).toMatchObject([
      { path: '/api/v1/namespaces/ns/pods/p/portforward?ports=2379', protocols: ['SPDY/3.1+portforward.k8s.io'] },
    ]);
  });

  test('to a port without a listener fails with the message of the server', async () => {
    const transport = serving(async (data, errors) => {
      await errors.write(Buffer.from('failed to connect to localhost:1 inside namespace'));
      await data.reset();
      await errors.reset();
    });
    const connection = await portForward(transport, pod, 1);
    const reading = connection.incoming[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toMatchObject({
      code: 'ConnectionRefused',
      message: 'GET /api/v1/namespaces/ns/pods/p/portforward: failed to connect to localhost:1 inside namespace',
    });
  });

  test('that is cut fails', async () => {
    const transport = channelTransport(portForwardProtocol, async (link) => {
      const connection = new SpdyConnection({
        link,
        role: 'server',
        onStream: (stream) => {
          if (stream.headers[portForwardHeaders.streamType] === 'data') link.close();
        },
      });
      await connection.run();
    });
    const connection = await portForward(transport, pod, 1);
    await expect(connection.incoming[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ConnectionLost' });
    await expect(connection.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'ConnectionLost' });
  });

  test('ends quietly when we close it after reading', async () => {
    const transport = serving(async (data) => data.write(Buffer.from('x')));
    const connection = await portForward(transport, pod, 1);
    for await (const bytes of connection.incoming) {
      expect(Buffer.from(bytes).toString()).toBe('x');
      break;
    }
    connection.close();
  });
});
