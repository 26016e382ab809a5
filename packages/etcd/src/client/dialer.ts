// SPDX-License-Identifier: Apache-2.0
import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';

/** Where a member listens. */
export interface DialTarget {
  /** An address or a name. The operator gives the pod's IP, so that no DNS stands between it and a member. */
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a raw connection: the way to a member. Over the network by default; tests reach members in network namespaces of
 * their own by another one.
 *
 * Guarantees expected: the promise settles soon after `signal` is aborted, and a connection that is no longer wanted then is
 * closed.
 */
export type Dialer = (target: DialTarget, signal: AbortSignal) => Promise<Duplex>;

/** Certificates in PEM. Treat as immutable: a new certificate is a new object, which makes new connections use it. */
export interface TlsMaterial {
  /** Who may have signed the member's certificate. Nobody else is trusted. */
  readonly ca: string | Uint8Array;
  /** Our own certificate and key, where members ask for one. */
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

/** How to reach a member, and whom to expect there. */
export interface Route {
  readonly target: DialTarget;
  /** The name that the certificate must carry. @default the host that is dialled */
  readonly serverName?: string;
  /** Absent: plain text. */
  readonly tls?: TlsMaterial;
}

/** Idle time in milliseconds before the first TCP keep-alive probe. The default of the system is two hours. */
const askAfter = 10_000;

/** `10.0.0.7:2379`; an IPv6 address has brackets, to be told from the port. */
export function hostAndPort({ host, port }: DialTarget): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** TCP with small packets sent at once. A machine that is gone is noticed, also by who only reads. */
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

/** Raised for everything that goes wrong between the raw connection and the first byte of the protocol. */
class HandshakeError extends Error {
  constructor(cause: Error) {
    super(`TLS handshake failed: ${cause.message}`, { cause });
    this.name = 'HandshakeError';
  }
}

/**
 * True if TLS is what failed. With TLS 1.3 a member that refuses our certificate says so only after our side of the handshake
 * is over, as an alert in place of the first answer.
 */
export function isTlsFailure(error: unknown): boolean {
  if (error instanceof HandshakeError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_SSL_');
}

/** Dials and, if the route has certificates, secures the connection. The member's certificate is always verified. */
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
      // Server name indication carries names only; an address is still checked against the certificate through `host`.
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

/** Parsing certificates costs milliseconds; members of one cluster share them. */
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
