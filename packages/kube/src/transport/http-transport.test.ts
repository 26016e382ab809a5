// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { TestAuthority } from '@etcd-operator/tools';
import { seededRandom, systemClock, VirtualClock } from '@operator-parts/ports';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type LocalServer, startServer } from '../testing/local-server.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type { TransportResponse } from './transport.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function serve(...args: Parameters<typeof startServer>): Promise<LocalServer> {
  const server = await startServer(...args);
  cleanUp.push(() => server.close());
  return server;
}

function transportTo(server: string, options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const transport = new HttpTransport({ server, clock: systemClock, random: seededRandom(1), ...options });
  cleanUp.push(() => transport.close());
  return transport;
}

async function textOf(response: TransportResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

const authority = await TestAuthority.create();
const other = await TestAuthority.create('other-ca');
const local = await authority.server('localhost', '127.0.0.1');
const get = { method: 'GET', path: '/x' } as const;

describe('requests', () => {
  test('carry method, path, headers and body, below the path of the server', async () => {
    const server = await serve((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.once('end', () => {
        const { method, url, rawHeaders } = request;
        response.setHeader('X-Answer', ['a', 'b']);
        response.end(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(pieces).toString() }));
      });
    });
    const transport = transportTo(`${server.url}/base/`);
    const headers = { 'impersonate-group': ['one', 'two'], 'content-type': 'text/plain' };
    const response = await transport.request({ method: 'PATCH', path: '/api?a=%20b', headers, body: 'hällo' });
    expect(response.status).toBe(200);
    expect(response.headers['x-answer']).toBe('a, b');
    const seen = JSON.parse(await textOf(response)) as { rawHeaders: string[] };
    expect(seen).toMatchObject({ method: 'PATCH', url: '/base/api?a=%20b', body: 'hällo' });
    const lines = seen.rawHeaders.flatMap((name, index) =>
      index % 2 ? [] : [`${name}: ${seen.rawHeaders[index + 1]}`],
    );
    expect(lines).toEqual(expect.arrayContaining(['impersonate-group: one', 'impersonate-group: two']));
  });

  test('an HTTP error is an answer', async () => {
    const server = await serve((_, response) => response.writeHead(503).end('busy'));
    const response = await transportTo(server.url).request(get);
    expect([response.status, await textOf(response)]).toEqual([503, 'busy']);
  });

  test('for Leases wait behind no other: a leader renews while every connection for calls is busy', async () => {
    const server = await serve((request, response) => {
      if (request.url?.includes('leases')) response.end('renewed');
    });
    const transport = transportTo(server.url, { connections: 1 });
    const stop = new AbortController();
    const stuck = [1, 2].map(() => transport.request({ ...get, signal: stop.signal }));
    const lease = '/apis/coordination.k8s.io/v1/namespaces/a/leases/b';
    expect(await textOf(await transport.request({ method: 'PUT', path: lease, body: '{}' }))).toBe('renewed');
    stop.abort();
    await Promise.allSettled(stuck);
  });

  test('share few connections, and watches have their own', async () => {
    const held: (() => void)[] = [];
    const server = await serve((request, response) => {
      if (request.url === '/watch') response.write('{}\n');
      else held.push(() => response.end('ok'));
    });
    const transport = transportTo(server.url, { connections: 2 });
    const watches = await Promise.all(
      [1, 2, 3].map(() => transport.request({ ...get, path: '/watch', streaming: true })),
    );
    expect(watches).toHaveLength(3);
    const calls = Promise.all(Array.from({ length: 10 }, () => transport.request(get).then(textOf)));
    let answered = 0;
    while (answered < 10) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(held.length).toBeLessThanOrEqual(2);
      for (const answer of held.splice(0)) {
        answered++;
        answer();
      }
    }
    expect(await calls).toHaveLength(10);
    expect(server.connections).toBe(3 + 2);
  });

  test('leaving a body early frees its connection for others', async () => {
    const server = await serve((_, response) => {
      for (let index = 0; index < 1000; index++) response.write('x'.repeat(1000));
      response.end();
    });
    const transport = transportTo(server.url, { connections: 1 });
    for (let round = 0; round < 3; round++) {
      const response = await transport.request(get);
      for await (const _ of response.body) break;
    }
    expect(await textOf(await transport.request(get))).toHaveLength(1_000_000);
  });

  test('a connection lost midway makes reading throw', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const response = await transportTo(server.url).request(get);
    await expect(textOf(response)).rejects.toThrow(/terminated|closed|socket/);
  });
});

describe('a request ends', () => {
  test('with ConnectionRefused if nothing listens', async () => {
    const server = await startServer(() => undefined);
    await server.close();
    await expect(transportTo(server.url).request(get)).rejects.toMatchObject({ code: 'ConnectionRefused' });
  });

  test('with ConnectionLost where the server hangs up', async () => {
    const server = await serve((request) => request.socket.destroy());
    await expect(transportTo(server.url).request(get)).rejects.toMatchObject({ code: 'ConnectionLost' });
  });

  test('with Timeout when no answer begins in time, also while it waits for a connection', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await serve(() => arrived.resolve());
    const clock = new VirtualClock();
    const transport = transportTo(server.url, { clock, requestTimeout: 5000, connections: 1 });
    const requests = [transport.request(get), transport.request(get)].map((request) =>
      request.catch((error: unknown) => error),
    );
    await arrived.promise;
    await clock.advance(5000);
    for (const error of await Promise.all(requests)) {
      expect(error).toMatchObject({ code: 'Timeout', message: 'GET /x was not answered within 5000 ms' });
    }
    expect(clock.pendingTimers).toBe(0);
  });

  test('with Aborted by the caller, before and while its body is read', async () => {
    const server = await serve((_, response) => response.write('first'));
    const transport = transportTo(server.url);
    const early = transport.request({ ...get, signal: AbortSignal.abort('no') });
    await expect(early).rejects.toMatchObject({ code: 'Aborted', cause: 'no' });
    const controller = new AbortController();
    const response = await transport.request({ ...get, streaming: true, signal: controller.signal });
    const reading = textOf(response);
    controller.abort(new Error('stop'));
    await expect(reading).rejects.toThrow('stop');
  });

  test('by its signal, its time limit and the end of the transport also while it waits for what to connect with', async () => {
    const clock = new VirtualClock();
    const never = () => new Promise<never>(() => undefined);
    const transport = transportTo('https://localhost:1', { clock, requestTimeout: 1000, tls: never });
    const caller = new AbortController();
    const called = transport.request({ ...get, signal: caller.signal });
    caller.abort();
    await expect(called).rejects.toMatchObject({ code: 'Aborted' });
    const late = transport.request(get).catch((error: unknown) => error);
    await clock.advance(1000);
    expect(await late).toMatchObject({ code: 'Timeout' });
    const closed = transport.request(get).catch((error: unknown) => error);
    await transport.close();
    expect(await closed).toMatchObject({ code: 'Aborted' });
  });

  test('with Aborted when the transport is closed', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await serve(() => arrived.resolve());
    const transport = transportTo(server.url);
    const request = transport.request(get).catch((error: unknown) => error);
    await arrived.promise;
    await transport.close();
    expect(await request).toMatchObject({ code: 'Aborted' });
  });

  test.each(['ftp://x', 'nonsense', ''])('at once for the server %j', (server) => {
    expect(() => new HttpTransport({ server, clock: systemClock, random: seededRandom(1) })).toThrow(
      expect.objectContaining({ code: 'Configuration' }),
    );
  });
});

describe('TLS', () => {
  const peer = (request: Parameters<Parameters<typeof startServer>[0]>[0]) =>
    (request.socket as Socket & { getPeerCertificate(): { subject?: { CN?: string } } }).getPeerCertificate().subject
      ?.CN;

  test('is verified against the given authority, and a client certificate is shown', async () => {
    const server = await serve((request, response) => response.end(`hello ${peer(request)}`), {
      ...local,
      ca: authority.ca,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const alice = await authority.client('alice');
    const transport = transportTo(server.url, { tls: () => ({ ca: authority.ca, ...alice }) });
    expect(await textOf(await transport.request(get))).toBe('hello alice');
  });

  test('fails against another authority, without one, and for another name', async () => {
    const server = await serve((_, response) => response.end(), local);
    const wrongName = await serve((_, response) => response.end(), await authority.server('elsewhere'));
    const cases = [
      transportTo(server.url, { tls: () => ({ ca: other.ca }) }),
      transportTo(server.url),
      transportTo(wrongName.url, { tls: () => ({ ca: authority.ca }) }),
    ];
    for (const transport of cases) {
      await expect(transport.request(get)).rejects.toMatchObject({ code: 'ConnectionRefused' });
    }
    const named = transportTo(wrongName.url, { tls: () => ({ ca: authority.ca, serverName: 'elsewhere' }) });
    expect((await named.request(get)).status).toBe(200);
  });

  test('follows an authority that is rotated, without disturbing what is under way', async () => {
    const first = await serve((_, response) => response.write('one\n'), local);
    let ca = authority.ca;
    const transport = transportTo(first.url, { tls: () => ({ ca }) });
    const watch = await transport.request({ ...get, streaming: true });
    ca = other.ca;
    await expect(transport.request(get)).rejects.toMatchObject({ name: 'KubeError' });
    for await (const piece of watch.body) {
      expect(Buffer.from(piece).toString()).toBe('one\n');
      break;
    }
    ca = authority.ca;
    expect((await transport.request({ ...get, streaming: true })).status).toBe(200);
  });
});

describe('a proxy', () => {
  test('is asked for a tunnel, inside which TLS is verified as ever', async () => {
    const target = await serve((_, response) => response.end('behind'), local);
    const tunnels: (string | undefined)[] = [];
    const proxy = await serve(() => undefined);
    proxy.server.on('connect', (request, socket: Socket) => {
      tunnels.push(request.url);
      const upstream = connectTcp(target.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      for (const end of [socket, upstream]) end.on('error', () => undefined);
    });
    const transport = transportTo(target.url, { proxyUrl: proxy.url, tls: () => ({ ca: authority.ca }) });
    expect(await textOf(await transport.request(get))).toBe('behind');
    expect(tunnels).toEqual([`127.0.0.1:${target.port}`]);
    const distrusting = transportTo(target.url, { proxyUrl: proxy.url });
    await expect(distrusting.request(get)).rejects.toMatchObject({ name: 'KubeError' });
  });

  test('of an unknown kind is refused', async () => {
    const transport = transportTo('https://127.0.0.1:1', { proxyUrl: 'ftp://x' });
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'Configuration' });
  });
});

test('an idle body ends with the request timeout, but not that of a watch', async () => {
  const server = await serve((_, response) => response.write('x'));
  const transport = transportTo(server.url, { requestTimeout: 300 });
  const watch = await transport.request({ ...get, streaming: true });
  const watching = textOf(watch).then(
    () => 'ended',
    () => 'failed',
  );
  await expect(textOf(await transport.request(get))).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  const still = await Promise.race([
    watching,
    once(server.server, 'never', { signal: AbortSignal.timeout(50) }).catch(() => 'open'),
  ]);
  expect(still).toBe('open');
});

describe('the address of the server', () => {
  test('may be of IPv6', async () => {
    const server = createServer((_, response) => response.end('six'));
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    cleanUp.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    expect(await textOf(await transportTo(`http://[::1]:${port}`).request(get))).toBe('six');
  });

  test('is looked up again when its connections are gone', async () => {
    const listener: RequestListener = (_, response) => response.end('here');
    const first = createServer(listener);
    await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
    const { port } = first.address() as AddressInfo;
    const addresses = await lookup('localhost', { all: true });
    const transport = transportTo(`http://localhost:${port}`);
    expect(await textOf(await transport.request(get))).toBe('here');
    first.closeAllConnections();
    await new Promise((resolve) => first.close(resolve));
    const moved = createServer(listener);
    // If the name has only one address, the server restarts at that.
    const host = addresses.some(({ address }) => address === '::1') ? '::1' : '127.0.0.1';
    await new Promise<void>((resolve) => moved.listen(port, host, resolve));
    cleanUp.push(() => new Promise((resolve) => moved.close(resolve)));
    await vi.waitFor(async () => expect(await textOf(await transport.request(get))).toBe('here'), { timeout: 10_000 });
  });

  test('may lie behind a proxy for watches and fenced writes too', async () => {
    const arrived: string[] = [];
    const target = await serve((request, response) => {
      arrived.push(`${request.method} ${request.url}`);
      if (request.method === 'GET') response.write('first\n');
      else response.end('{}');
    }, local);
    const proxy = await serve(() => undefined);
    proxy.server.on('connect', (_, socket: Socket) => {
      const upstream = connectTcp(target.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      for (const end of [socket, upstream]) end.on('error', () => undefined);
    });
    const transport = transportTo(target.url, { proxyUrl: proxy.url, tls: () => ({ ca: authority.ca }) });
    const watch = await transport.request({ ...get, streaming: true });
    for await (const piece of watch.body) {
      expect(Buffer.from(piece).toString()).toBe('first\n');
      break;
    }
    const closed = () => {
      throw new Error('this process does not hold the lease');
    };
    const refused = transport.request({ method: 'POST', path: '/refused', body: '{}', fence: closed });
    await expect(refused).rejects.toMatchObject({ code: 'Aborted' });
    expect(
      (await transport.request({ method: 'POST', path: '/sent', body: '{}', fence: () => undefined })).status,
    ).toBe(200);
    expect(arrived).toEqual(['GET /x', 'POST /sent']);
  });
});

describe('the fence of a request', () => {
  test('is asked when the request leaves: one that waited in line and may not be sent any more never arrives', async () => {
    const arrived: string[] = [];
    const answers: (() => void)[] = [];
    const server = await serve((request, response) => {
      arrived.push(`${request.method} ${request.url}`);
      answers.push(() => response.end('{}'));
    });
    const transport = transportTo(server.url, { connections: 1 });
    let isOpen = true;
    const fence = () => {
      if (!isOpen) throw new Error('this process does not hold the lease');
    };
    const first = transport.request({ method: 'POST', path: '/first', body: '{}', fence });
    await vi.waitFor(() => expect(arrived).toEqual(['POST /first']));
    const second = transport.request({ method: 'POST', path: '/second', body: '{}', fence });
    second.catch(() => undefined);
    isOpen = false;
    answers[0]?.();
    await textOf(await first);
    await expect(second).rejects.toMatchObject({
      code: 'Aborted',
      message: 'POST /second was not sent: this process does not hold the lease',
    });
    isOpen = true;
    const third = transport.request({ method: 'PUT', path: '/third', body: '{}', fence });
    await vi.waitFor(() => expect(arrived).toEqual(['POST /first', 'PUT /third']));
    answers[1]?.();
    expect((await third).status).toBe(200);
  });

  test.each([1, 2])(
    'closes the way at the last moment too: asked the %i. time, the request never arrives',
    async (nth) => {
      const arrived: string[] = [];
      const server = await serve((request, response) => {
        arrived.push(request.url ?? '');
        response.end('{}');
      });
      const transport = transportTo(server.url);
      const closedAt = (last: number) => {
        let asked = 0;
        return () => {
          asked += 1;
          if (asked >= last) throw new Error('this process does not hold the lease');
        };
      };
      const body = JSON.stringify({ text: 'x'.repeat(1000) });
      const late = transport.request({ method: 'POST', path: '/late', body, fence: closedAt(nth) });
      await expect(late).rejects.toMatchObject({
        code: 'Aborted',
        message: expect.stringMatching(/was not sent: this process does not hold the lease/),
      });
      await textOf(await transport.request({ method: 'POST', path: '/next', body, fence: closedAt(3) }));
      expect(arrived).toEqual(['/next']);
    },
  );

  test('is asked when the connection is there, not before', async () => {
    const arrived: string[] = [];
    const server = await serve((request, response) => {
      arrived.push(request.url ?? '');
      response.end('{}');
    });
    const asked: number[] = [];
    const fence = () => {
      asked.push(server.connections);
      throw new Error('no');
    };
    const transport = transportTo(server.url);
    await expect(transport.request({ method: 'POST', path: '/x', fence })).rejects.toMatchObject({ code: 'Aborted' });
    await vi.waitFor(() => expect(server.connections).toBe(1));
    expect([arrived, asked.length]).toEqual([[], 1]);
  });
});
