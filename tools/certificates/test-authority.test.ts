// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TlsOptions } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { selfSignedCertificate, TestAuthority, type TestCertificate } from './test-authority.ts';

const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';
let authority: TestAuthority;

beforeAll(async () => {
  authority = await TestAuthority.create('authority of a test');
});

/** The server's information about the client that connects to it; throws if the client does not trust the server. */
async function greet(server: TlsOptions, ca: string, client?: TestCertificate): Promise<string> {
  const listener = createServer({ ...server, requestCert: true, rejectUnauthorized: false }, (socket) =>
    socket.end(`${socket.authorized ? 'trusted' : 'not trusted'}: ${socket.getPeerCertificate().subject?.CN}`),
  );
  listener.on('tlsClientError', () => undefined);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const { port } = listener.address() as AddressInfo;
    const pieces: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port, ca, ...client });
    for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  } finally {
    listener.close();
  }
}

describe('a certificate of a test authority', () => {
  test('is signed by it, not by one of the same name, and belongs to its key', async () => {
    const { cert, key } = await authority.issue();
    const certificate = new X509Certificate(cert);
    const [root, twin] = [authority.ca, (await TestAuthority.create('authority of a test')).ca].map(
      (pem) => new X509Certificate(pem),
    );
    expect([root?.ca, certificate.ca]).toEqual([true, false]);
    expect([root, twin].map((issuer) => issuer && certificate.checkIssued(issuer))).toEqual([true, true]);
    expect([root, twin].map((issuer) => issuer && certificate.verify(issuer.publicKey))).toEqual([true, false]);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  test('prints the given version', async () => {
    const { cert } = await authority.issue({
      commonName: 'alice',
      organizations: ['admins', 'people'],
      names: ['*.example.svc', '10.0.0.7', 'fd00::7'],
      usages: ['clientAuth'],
      from: '2026-01-02T00:00:00Z',
      until: '2026-03-04T00:00:00Z',
    });
    const certificate = new X509Certificate(cert);
    expect(certificate.subject).toBe('O=admins\nO=people\nCN=alice');
    expect(certificate.subjectAltName).toBe('DNS:*.example.svc, IP Address:10.0.0.7, IP Address:FD00:0:0:0:0:0:0:7');
    expect(certificate.keyUsage).toEqual([clientAuth]);
    const [from, until] = [certificate.validFromDate, certificate.validToDate].map((date) => date.toISOString());
    expect([from, until]).toEqual(['2026-01-02T00:00:00.000Z', '2026-03-04T00:00:00.000Z']);
  });

  test('is by default for servers and clients, valid now, without names', async () => {
    const certificate = new X509Certificate((await authority.issue()).cert);
    expect(certificate.keyUsage).toEqual([serverAuth, clientAuth]);
    expect(certificate.subjectAltName).toBeUndefined();
    expect(certificate.validFromDate.getTime()).toBeLessThan(Date.now());
    expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now());
  });

  test('serves and identifies over TLS; that of another authority does not', async () => {
    const server = { ...(await authority.server('127.0.0.1')), ca: authority.ca };
    expect(await greet(server, authority.ca, await authority.client('alice'))).toBe('trusted: alice');
    const another = await TestAuthority.create('another');
    await expect(greet(server, another.ca)).rejects.toThrow(/certificate/);
    expect(await greet(server, authority.ca, await another.client('mallory'))).toBe('not trusted: mallory');
  });
});

test('clients on loopback trust a self-signed certificate, of a server and of a client', async () => {
  const own = await selfSignedCertificate('own');
  expect(await greet({ ...own, ca: own.cert }, own.cert, own)).toBe('trusted: own');
  expect(new X509Certificate(own.cert).checkHost('localhost')).toBe('localhost');
});
