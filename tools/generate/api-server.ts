// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePart } from '../parts/ensure-part.ts';

/** What a server is started with. */
export interface ApiServerOptions {
  /** Is told when etcd or the API server must be built first, which takes minutes. @default standard error */
  readonly report?: (line: string) => void;
}

/** What a real server answered. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A real kube-apiserver with an etcd of its own, on loopback, which lives as long as this value. */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** The certificate it serves with, to be trusted as CA. */
  readonly ca: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

interface CallOptions {
  readonly accept?: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
}

const startLimit = 90_000;

/**
 * Starts both programs in a temporary folder and waits until the server says it is ready, about 3 s. Nothing is left behind when the
 * value is disposed of; the logs of a start that failed are part of the error.
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const report = options.report ?? ((line) => process.stderr.write(`${line}\n`));
  const etcd = await programOf('etcd@3.6', 'etcd', report);
  const kubeApiserver = await programOf('kube-apiserver', 'kube-apiserver', report);
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-apiserver-'));
  const processes: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(processes.map(end));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const [client, peer, secure] = await freePorts();
    processes.push(await startEtcd(etcd, folder, client, peer));
    const token = randomBytes(24).toString('hex');
    const flags = await serverFlags(folder, token, client, secure);
    const server = await run(kubeApiserver, flags, join(folder, 'kube-apiserver.log'));
    processes.push(server);
    const url = `https://127.0.0.1:${secure}`;
    const ca = await untilReady(server, folder, url, token);
    return serverAt(url, token, ca, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function programOf(part: string, program: string, report: (line: string) => void): Promise<string> {
  const path = (await ensurePart(part, { report })).programs[program];
  if (path === undefined) throw new Error(`the part ${part} has no program ${program}`);
  return path;
}

async function startEtcd(program: string, folder: string, client: number, peer: number): Promise<ChildProcess> {
  const child = await run(program, etcdFlags(folder, client, peer), join(folder, 'etcd.log'));
  const url = `http://127.0.0.1:${client}/readyz`;
  await until(child, folder, 'etcd', () => isReady(httpRequest, url, {})).catch(async (error: unknown) => {
    await end(child);
    throw error;
  });
  return child;
}

/** Resolves with the certificate, which the server makes itself a moment after its start. */
async function untilReady(server: ChildProcess, folder: string, url: string, token: string): Promise<string> {
  const file = join(folder, 'certs', 'apiserver.crt');
  const headers = { authorization: `Bearer ${token}` };
  await until(server, folder, 'kube-apiserver', async () => {
    const ca = await readFile(file, 'utf8').catch(() => undefined);
    return ca !== undefined && isReady(httpsRequest, `${url}/readyz`, { headers, ca });
  });
  return readFile(file, 'utf8');
}

function serverAt(url: string, token: string, ca: string, stop: () => Promise<void>): ApiServer {
  return {
    url,
    token,
    ca,
    call: (method, path, options = {}) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: options.accept ?? 'application/json',
        'content-type': options.contentType ?? 'application/json',
      };
      const body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
      return answer(httpsRequest, url + path, { method, headers, ca }, body);
    },
    [Symbol.asyncDispose]: stop,
  };
}

function etcdFlags(folder: string, client: number, peer: number): string[] {
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${client}`,
    `--advertise-client-urls=http://127.0.0.1:${client}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-cluster=default=http://127.0.0.1:${peer}`,
    '--unsafe-no-fsync',
  ];
}

async function serverFlags(folder: string, token: string, etcdPort: number, port: number): Promise<string[]> {
  const certs = join(folder, 'certs');
  await mkdir(certs);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = join(certs, 'service-account.key');
  await writeFile(key, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  const tokens = join(certs, 'tokens.csv');
  await writeFile(tokens, `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${certs}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=AlwaysAllow',
    '--anonymous-auth=false',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--disable-admission-plugins=ServiceAccount',
  ];
}

async function freePorts(): Promise<[number, number, number]> {
  const servers = [createServer(), createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    ports.push(typeof address === 'object' && address ? address.port : 0);
  }
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  const [a = 0, b = 0, c = 0] = ports;
  return [a, b, c];
}

async function run(program: string, flags: readonly string[], logFile: string): Promise<ChildProcess> {
  const log = createWriteStream(logFile);
  await once(log, 'open');
  const child = spawn(program, flags, { stdio: ['ignore', log, log] });
  await once(child, 'spawn');
  log.close();
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function until(child: ChildProcess, folder: string, name: string, ready: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + startLimit;
  while (performance.now() < limit && child.exitCode === null) {
    if (await ready()) return;
    await sleep(100);
  }
  const log = await readFile(join(folder, `${name}.log`), 'utf8');
  const what = child.exitCode === null ? `was not ready after ${startLimit / 1000} s` : `ended with ${child.exitCode}`;
  throw new Error(`${name} ${what}; the end of its log:\n${log.slice(-2000)}`);
}

type Send = typeof httpRequest;
type SendOptions = Parameters<typeof httpsRequest>[1] & object;

async function isReady(send: Send, url: string, options: SendOptions): Promise<boolean> {
  try {
    return (await answer(send, url, options)).status === 200;
  } catch {
    return false;
  }
}

function answer(send: Send, url: string, options: SendOptions, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send(url, { ...options, timeout: 30_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer from ${url} in 30 s`)));
    request.on('error', reject);
    request.end(body);
  });
}
