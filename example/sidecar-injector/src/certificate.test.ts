// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { seededRandom } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { certificatesIn, isPair, makeCertificate, renewalTime, vouchesFor } from './certificate.ts';

const day = 86_400_000;
const now = Date.parse('2026-11-15T12:00:00Z');
const random = seededRandom(1);
const make = (names: readonly string[], at = now) => makeCertificate({ names, now: at, lifetime: 30 * day, random });

test('a certificate is valid for its names, its time, and clients that trust its CA', async () => {
  const { cert, authority } = await make(['sidecar-injector.default.svc', '127.0.0.1']);
  const certificate = new X509Certificate(cert);
  expect(certificate.checkHost('sidecar-injector.default.svc')).toBeDefined();
  expect(certificate.checkHost('other.default.svc')).toBeUndefined();
  expect(certificate.checkIP('127.0.0.1')).toBeDefined();
  expect(certificate.verify(new X509Certificate(authority).publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.validToDate.getTime()).toBe(now + 30 * day);
});

test('it is renewed after two thirds of its lifetime, or at once if it lacks a name', async () => {
  const { cert } = await make(['127.0.0.1']);
  const lifetime = 30 * day;
  expect(renewalTime(cert, { names: ['127.0.0.1'], lifetime })).toBe(now + 20 * day);
  expect(renewalTime(cert, { names: ['127.0.0.1', 'sidecar-injector.default.svc'], lifetime })).toBe(0);
});

test('a certificate goes with its own key alone', async () => {
  const [one, other] = [await make(['127.0.0.1']), await make(['127.0.0.1'])];
  expect(isPair(one.cert, one.key)).toBe(true);
  expect(isPair(one.cert, other.key)).toBe(false);
  expect(isPair('broken', one.key)).toBe(false);
  expect(isPair(one.cert, '')).toBe(false);
});

test('an authority vouches for its own certificate alone, whatever stands beside it', async () => {
  const [one, other] = [await make(['127.0.0.1']), await make(['127.0.0.1'])];
  expect(vouchesFor(one.authority, one.cert)).toBe(true);
  expect(vouchesFor(`garbage\n${other.authority}${one.authority}`, one.cert)).toBe(true);
  expect(vouchesFor(other.authority, one.cert)).toBe(false);
  expect(vouchesFor('', one.cert)).toBe(false);
  expect(vouchesFor(one.authority, 'broken')).toBe(false);
  const broken = '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n';
  expect(certificatesIn(`${broken}${one.authority}and more`)).toEqual([one.authority]);
});

test('who trusts two authorities can talk to servers with either certificate', async () => {
  const pairs = [await make(['127.0.0.1'], Date.now()), await make(['127.0.0.1'], Date.now())];
  const ca = pairs.map(({ authority }) => authority).join('');
  for (const { cert, key } of pairs) {
    const server = createServer({ cert, key }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, ca });
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    expect(socket.authorized).toBe(true);
    socket.destroy();
    server.close();
  }
});
