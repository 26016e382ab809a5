// SPDX-License-Identifier: Apache-2.0
import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';

/** The address on which a member listens. */
export interface DialTarget {
  /** An address or a name. The operator passes the pod's IP, so that no DNS is needed. */
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a raw connection to a member. Over the network by default; tests use another dialer to reach members in network
 * namespaces.
 *
 * Requirements: the promise settles soon after `signal` is aborted, and a connection that is no longer needed is
 * closed.
 */
export type Dialer = (target: DialTarget, signal: AbortSignal) => Promise<Duplex>;

/** Certificates in PEM. Immutable: a changed certificate must be a new object, which makes new connections use it. */
export interface TlsMaterial {
  /** The CA of the member's certificate. No other CA is trusted. */
  readonly ca: string | Uint8Array;
  /** Our client certificate and key, if members require them. */
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

/** How to connect to a member, and its expected identity. */
export interface Route {
  readonly target: DialTarget;
  /** The expected name in the certificate. @default the dialled host */
  readonly serverName?: string;
  /** Absent: plain text. */
  readonly tls?: TlsMaterial;
}

/** Idle time in milliseconds before the first TCP keep-alive probe. The default of the system is two hours. */
const askAfter = 10_000;

/** `10.0.0.7:2379`; an IPv6 address is in brackets. */
export function hostAndPort({ host, port }: DialTarget): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** TCP without Nagle's algorithm. Keep-alive probes detect a lost machine, also on a connection that only reads. */
export const networkDialer: Dialer = ({ host, port }, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: askAfter });
    const onAbort = () => socket.destroy(asError(signal.reason));
    const onError = (error: Error) => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });

/** Any error between the raw connection and the first byte of the protocol. */
class HandshakeError extends Error {
  constructor(cause: Error) {
    super(`TLS handshake failed: ${cause.message}`, { cause });
    this.name = 'HandshakeError';
  }
}

/**
 * True if TLS failed. With TLS 1.3 a member that refuses our certificate reports it only after our handshake, as an
 * alert in place of the first answer.
 */
export function isTlsFailure(error: unknown): boolean {
  if (error instanceof HandshakeError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_SSL_');
}

/** Dials and, with certificates, opens TLS. The member's certificate is always verified. */
export async function openRoute(
  route: Route,
  dial: Dialer,
  protocol: 'h2' | 'http/1.1',
  signal: AbortSignal,
): Promise<Duplex> {
  const context = route.tls && contextOf(route.tls);
  const raw = await dial(route.target, signal);
  return context ? secure(raw, route, context, protocol, signal) : raw;
}

function secure(
  raw: Duplex,
  route: Route,
  secureContext: SecureContext,
  protocol: string,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const name = route.serverName ?? route.target.host;
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({
      socket: raw,
      host: name,
      // Server name indication supports names only; an address is still checked against the certificate through `host`.
      ...(isIP(name) === 0 ? { servername: name } : {}),
      secureContext,
      ALPNProtocols: [protocol],
      rejectUnauthorized: true,
    });
    const onAbort = () => socket.destroy(asError(signal.reason));
    const onError = (error: Error) => {
      signal.removeEventListener('abort', onAbort);
      raw.destroy();
      reject(signal.aborted ? error : new HandshakeError(error));
    };
    const onClose = () => onError(new Error('the connection was closed during the handshake'));
    socket.once('error', onError);
    socket.once('close', onClose);
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      socket.off('close', onClose);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Parsing certificates takes milliseconds; members of one cluster share the result. */
const contexts = new WeakMap<TlsMaterial, SecureContext>();

function contextOf(material: TlsMaterial): SecureContext {
  const known = contexts.get(material);
  if (known) return known;
  const { ca, cert, key } = material;
  try {
    const context = createSecureContext({
      minVersion: 'TLSv1.2',
      ca: bufferOf(ca),
      ...(cert === undefined ? {} : { cert: bufferOf(cert) }),
      ...(key === undefined ? {} : { key: bufferOf(key) }),
    });
    contexts.set(material, context);
    return context;
  } catch (error) {
    throw new HandshakeError(asError(error));
  }
}

function bufferOf(pem: string | Uint8Array): string | Buffer {
  return typeof pem === 'string' ? pem : Buffer.from(pem);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
