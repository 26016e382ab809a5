// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePart } from '../parts/ensure-part.ts';
import { ownFlags, unrestricted } from './api-server-flags.ts';
import { startEtcd } from './etcd.ts';
import { freePorts } from './free-ports.ts';
import { LeashedProcess, startLimit } from './leashed-process.ts';

/** What a server is started with. */
export interface ApiServerOptions {
  /** Called when etcd or the API server must be built first, which takes minutes. @default standard error */
  readonly report?: (line: string) => void;
  /** Name of the administrator with the token. @default admin */
  readonly user?: string;
  /** Additional flags. @default authenticated users may do everything, and Pods need no ServiceAccount */
  readonly flags?: readonly string[];
}

/** The answer of a real server. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A real kube-apiserver with its own etcd, on loopback, until this value is disposed. */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Its serving certificate, to be trusted as CA. */
  readonly ca: string;
  /** The client endpoint of its etcd. */
  readonly etcd: string;
  /** Temporary; removed with the server. */
  readonly folder: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Polls until the server answers a read of the path with 200. */
  serves(path: string): Promise<void>;
  /** Ends the kube-apiserver and starts it again: it forgets all events, and knows objects as its etcd has them. */
  restart(): Promise<void>;
}

interface CallOptions {
  readonly accept?: string;
  /** A string is sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
}

/**
 * Starts both programs in a temporary folder and waits until the server is ready, about 3 s. Everything is removed when
 * the value is disposed; the error of a failed start contains the logs.
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken a port that was free a moment ago.
      if (triesLeft === 0 || !/address already in use/.test(String(error))) throw error;
    }
  }
}

async function startOnce({ report, user = 'admin', flags = unrestricted }: ApiServerOptions): Promise<ApiServer> {
  const programs = {
    etcd: await programOf('etcd@3.6', 'etcd', report),
    server: await programOf('kube-apiserver', 'kube-apiserver', report),
  };
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-apiserver-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const [client = 0, peer = 0, secure = 0] = await freePorts(3);
  stack.use(await startEtcd(programs.etcd, join(folder, 'etcd'), client, peer));
  const token = randomBytes(24).toString('hex');
  const all = [...(await ownFlags(folder, `${token},${user},,system:masters\n`, client, secure)), ...flags];
  const start = () => LeashedProcess.start('kube-apiserver', programs.server, all, join(folder, 'kube-apiserver.log'));
  let server = await start();
  stack.defer(() => server[Symbol.asyncDispose]());
  const url = `https://127.0.0.1:${secure}`;
  const ca = await certificateOf(server, folder);
  const call = callOf(url, token, ca);
  const isServed = (path: string) =>
    call('GET', path).then(
      ({ status }) => status === 200,
      () => false,
    );
  const serves = (path: string) => server.until(() => isServed(path), startLimit);
  await serves('/readyz');
  const restart = async () => {
    await server[Symbol.asyncDispose]();
    server = await start();
    await serves('/readyz');
  };
  const kept = stack.move();
  const etcd = `http://127.0.0.1:${client}`;
  return { url, token, ca, etcd, folder, call, serves, restart, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** A program of a part, which is built first if it is missing. */
export async function programOf(
  part: string,
  program: string,
  report: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Promise<string> {
  const path = (await ensurePart(part, { report })).programs[program];
  if (path === undefined) throw new Error(`the part ${part} has no program ${program}`);
  return path;
}

/** The certificate, which the server creates a moment after its start. */
export async function certificateOf(server: LeashedProcess, folder: string): Promise<string> {
  const read = () => readFile(join(folder, 'certs', 'apiserver.crt'), 'utf8').catch(() => '');
  await server.until(async () => (await read()).includes('END CERTIFICATE'), startLimit);
  return read();
}

function callOf(url: string, token: string, ca: string): ApiServer['call'] {
  return (method, path, { accept = 'application/json', body, contentType = 'application/json' } = {}) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, accept, 'content-type': contentType };
      const request = httpsRequest(url + path, { method, headers, ca, timeout: 30_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', reject);
      });
      request.on('timeout', () => request.destroy(new Error(`no answer from ${url} in 30 s`)));
      request.on('error', reject);
      request.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
}
