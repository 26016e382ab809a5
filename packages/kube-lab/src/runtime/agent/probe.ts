// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Clock } from '@operator-parts/ports';
import { urlHost } from '../../network/addresses.ts';
import type { ProbeOutcome, ProbeTarget } from '../container-runtime.ts';
import { grpcProbe } from './grpc-probe.ts';

/** The kubelet shows at most this much of an answer. */
const bodyLimit = 10 * 1024;
const redirectLimit = 10;

type NetworkTarget = Exclude<ProbeTarget, { kind: 'exec' }>;
type HttpTarget = Extract<ProbeTarget, { kind: 'http' }>;

/** Carries out a network health check from the node. Never rejects: an error is a result. */
export async function networkProbe(
  clock: Clock,
  target: NetworkTarget,
  timeoutMilliseconds: number,
): Promise<ProbeOutcome> {
  const controller = new AbortController();
  const timer = clock.schedule(timeoutMilliseconds, () => controller.abort());
  try {
    return await attempt(target, controller.signal);
  } catch (error) {
    const words = goWords(target, error);
    const late = controller.signal.aborted;
    return { success: false, output: late ? lateWords(target) : `${describe(target)}: ${words}` };
  } finally {
    timer.cancel();
  }
}

/** Go's messages for connection failures. */
const goFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  ECONNRESET: 'read: connection reset by peer',
  EPIPE: 'write: broken pipe',
};

function goWords(target: NetworkTarget, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : goFailures[code];
  if (known === undefined) return error instanceof Error ? error.message : String(error);
  return target.kind === 'http' ? `dial tcp ${urlHost(target.host)}:${target.port}: ${known}` : known;
}

function attempt(target: NetworkTarget, signal: AbortSignal): Promise<ProbeOutcome> {
  switch (target.kind) {
    case 'tcp':
      return tcpProbe(target.host, target.port, signal);
    case 'http':
      return httpProbe(target, signal, redirectLimit);
    case 'grpc':
      return grpcProbe(target, signal);
  }
}

function describe(target: NetworkTarget): string {
  if (target.kind === 'http') return `Get "${url(target)}"`;
  return target.kind === 'tcp' ? `dial tcp ${urlHost(target.host)}:${target.port}` : 'rpc error';
}

function lateWords(target: NetworkTarget): string {
  if (target.kind === 'grpc')
    return `timeout: failed to connect service "${urlHost(target.host)}:${target.port}" within 1s`;
  return `${describe(target)}: context deadline exceeded`;
}

function tcpProbe(host: string, port: number, signal: AbortSignal): Promise<ProbeOutcome> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const onAbort = () => socket.destroy(new Error('i/o timeout'));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('connect', () => {
      socket.destroy();
      resolve({ success: true, output: '' });
    });
    socket.on('error', reject);
    socket.on('close', () => signal.removeEventListener('abort', onAbort));
  });
}

function url(target: HttpTarget): string {
  return `${target.scheme}://${urlHost(target.host)}:${target.port}${target.path}`;
}

/**
 * Checks a URL. Any status from 200 to 399 is a success, and so is a redirect to another host. Certificates are not
 * verified.
 */
async function httpProbe(target: HttpTarget, signal: AbortSignal, redirects: number): Promise<ProbeOutcome> {
  const response = await get(target, signal);
  const body = await readBody(response);
  const status = response.statusCode ?? 0;
  const next =
    status >= 300 && status < 400 && response.headers.location && new URL(response.headers.location, url(target));
  if (next && next.hostname === urlHost(target.host)) {
    if (redirects === 0) return { success: false, output: `Get "${url(target)}": stopped after 10 redirects` };
    const scheme = next.protocol === 'https:' ? 'https' : 'http';
    const port = Number(next.port) || (scheme === 'https' ? 443 : 80);
    return httpProbe({ ...target, scheme, port, path: `${next.pathname}${next.search}` }, signal, redirects - 1);
  }
  if (status >= 200 && status < 400) return { success: true, output: body };
  return { success: false, output: `HTTP probe failed with statuscode: ${status}` };
}

function get(target: HttpTarget, signal: AbortSignal): Promise<IncomingMessage> {
  const headers: Record<string, string | string[]> = { 'User-Agent': 'kube-probe/1.36', Accept: '*/*' };
  for (const { name, value } of target.headers) headers[name] = value;
  const options = { host: target.host, port: target.port, path: target.path, headers, signal, agent: false };
  return new Promise((resolve, reject) => {
    const request =
      target.scheme === 'https'
        ? httpsRequest({ ...options, rejectUnauthorized: false }, resolve)
        : httpRequest(options, resolve);
    request.on('error', reject);
    request.end();
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size >= bodyLimit) break;
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, bodyLimit);
}
