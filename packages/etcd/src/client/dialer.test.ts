// SPDX-License-Identifier: Apache-2.0
import { createSecureServer, performServerHandshake } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { duplexPair } from 'node:stream';
import { TestAuthority, type TestCertificate } from '@etcd-operator/tools';
import { systemClock } from '@operator-parts/ports';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Dialer, TlsMaterial } from './dialer.ts';
import { networkDialer } from './dialer.ts';
import { frame } from './grpc/frame.ts';
import { MemberClient } from './member-client.ts';
import { statusResponse } from './messages/maintenance-messages.ts';

const name = 'example-bcdfghjklm.example.default.svc';
let authority: TestAuthority;
let another: TestAuthority;
let ours: TestCertificate;

beforeAll(async () => {
  [authority, another] = await Promise.all([TestAuthority.create('ours'), TestAuthority.create('not ours')]);
  ours = await authority.issue({ names: ['operator'] });
});

/** A member that speaks TLS, without a socket. `clients` lists the client certificates of connections. */
function secureMember(leaf: TestCertificate, clients: string[] = []): Dialer {
  const server = createSecureServer({ ...leaf, ca: authority.ca, requestCert: true, rejectUnauthorized: true });
  server.on('secureConnection', (socket) => clients.push(socket.getPeerCertificate().serialNumber ?? ''));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(frame(statusResponse.encode({ version: '3.6.16' })));
  });
  return async () => {
    const [near, far] = duplexPair();
    server.emit('connection', far);
    return near;
  };
}

function ask(dial: Dialer, tls: () => TlsMaterial, serverName: string | undefined = name) {
  const client = new MemberClient({
    target: { host: '10.0.0.7', port: 2379 },
    clock: systemClock,
    dial,
    tls,
    ...(serverName === undefined ? {} : { serverName }),
  });
  return { client, status: () => client.maintenance.status({ timeoutMs: 5_000 }) };
}

describe('operator rule 18: TLS, always verified', () => {
  const clients: MemberClient[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  const material = (): TlsMaterial => ({ ca: authority.ca, ...ours });

  test('the pod address is dialled, the member name is expected in the certificate', async () => {
    const leaf = await authority.issue({ names: [name] });
    const tls = material();
    const { client, status } = ask(secureMember(leaf), () => tls);
    clients.push(client);
    expect((await status()).version).toBe('3.6.16');
  });

  test('without a name the address itself must be in the certificate', async () => {
    const leaf = await authority.issue({ names: ['10.0.0.7'] });
    const tls = material();
    const client = new MemberClient({
      target: { host: '10.0.0.7', port: 2379 },
      clock: systemClock,
      dial: secureMember(leaf),
      tls: () => tls,
    });
    clients.push(client);
    expect((await client.maintenance.status()).version).toBe('3.6.16');
  });

  test.each([
    ['of an authority that is not ours', () => another.issue({ names: [name] }), /self-signed|unable to (get|verify)/],
    ['of another member', () => authority.issue({ names: ['other.example.default.svc'] }), /does not match/],
    ['for another address', () => authority.issue({ names: ['10.0.0.8'] }), /does not match/],
    ['that has expired', () => authority.issue({ names: [name], until: '2020-01-01T00:00:00Z' }), /expired/],
  ])('a certificate %s is refused', async (_, issue, message) => {
    const tls = material();
    const { client, status } = ask(secureMember(await issue()), () => tls);
    clients.push(client);
    const error: unknown = await status().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'TlsFailed', outcomeUnknown: false, message: expect.stringMatching(message) });
  });

  test('certificates that cannot be read are reported as such', async () => {
    const tls: TlsMaterial = { ca: authority.ca, cert: 'nonsense', key: 'nonsense' };
    const { client, status } = ask(secureMember(await authority.issue({ names: [name] })), () => tls);
    clients.push(client);
    await expect(status()).rejects.toMatchObject({ code: 'TlsFailed' });
  });

  test('replaced certificates are used by the next call, over a new connection', async () => {
    const seen: string[] = [];
    const next = await authority.issue({ names: ['operator'] });
    let current = material();
    const { client, status } = ask(secureMember(await authority.issue({ names: [name] }), seen), () => current);
    clients.push(client);
    await status();
    await status();
    current = { ca: authority.ca, ...next };
    await status();
    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(2);
  });

  test('there is no way back to plain text: a member without TLS is refused', async () => {
    const tls = material();
    const plain: Dialer = async () => {
      const [near, far] = duplexPair();
      const session = performServerHandshake(far);
      session.on('error', () => undefined);
      return near;
    };
    const { client, status } = ask(plain, () => tls);
    clients.push(client);
    await expect(status()).rejects.toMatchObject({ code: 'TlsFailed' });
  });
});

describe('the dialer of the network', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function listen(): Promise<number> {
    const server = createServer((socket) => socket.end('hello'));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  test('connects', async () => {
    const socket = await networkDialer({ host: '127.0.0.1', port: await listen() }, new AbortController().signal);
    const chunks: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('hello');
  });

  test('rejects if no member listens', async () => {
    const port = await listen();
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const refused = networkDialer({ host: '127.0.0.1', port }, new AbortController().signal);
    await expect(refused).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('stops at once when it is aborted', async () => {
    const port = await listen();
    await expect(networkDialer({ host: '127.0.0.1', port }, AbortSignal.abort(new Error('no more')))).rejects.toThrow(
      'no more',
    );
  });
});
