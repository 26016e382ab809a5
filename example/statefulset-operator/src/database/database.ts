// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@operator-parts/ports';
import { type Entry, LogFile } from './log-file.ts';

export interface DatabaseOptions {
  /** The file with all data. */
  readonly file: string;
  readonly port: number;
  /** The primary to copy; undefined for the primary itself. */
  readonly primary: string | undefined;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** A replica of the data, served over HTTP. */
export interface Database extends AsyncDisposable {
  readonly url: string;
  /** True for the primary, and for a replica that recently had all its data. */
  readonly isUpToDate: boolean;
}

/** Answers a request. */
type Say = (status: number, text: string) => void;

/** The polling interval of a replica, in milliseconds. */
const period = 200;

/** `PUT /keys/K`, `GET /keys/K`, `GET /log?after=N` for replicas, `GET /ready` for the kubelet. */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const { file, port, primary, clock = systemClock } = options;
  const log = new LogFile(file);
  const stop = new AbortController();
  let isUpToDate = primary === undefined;

  async function copy(from: string): Promise<void> {
    while (!stop.signal.aborted) {
      isUpToDate = await copyOnce(log, from, stop.signal).catch(() => false);
      await clock.sleep(period, stop.signal).catch(() => undefined);
    }
  }

  const news = (after: number): News => ({ revision: log.revision, entries: log.after(after) });

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://database');
    const [, key] = /^\/keys\/(.+)$/.exec(url.pathname) ?? [];
    const say = (status: number, text: string) => void response.writeHead(status).end(`${text}\n`);
    if (url.pathname === '/ready') ready(say);
    else if (url.pathname === '/log') say(200, JSON.stringify(news(Number(url.searchParams.get('after')))));
    else if (key === undefined) say(404, 'there is nothing here but /keys/NAME');
    else if (request.method === 'GET') read(key, say);
    else write(key, await textOf(request), say);
  }

  function ready(say: Say): void {
    if (isUpToDate) say(200, 'up to date');
    else say(503, 'behind the primary');
  }

  function read(key: string, say: Say): void {
    const value = log.get(key);
    say(value === undefined ? 404 : 200, value ?? 'no such key');
  }

  function write(key: string, value: string, say: Say): void {
    if (primary !== undefined) {
      say(421, `this is a replica: write to ${primary}`);
      return;
    }
    log.append([{ key, value }]);
    say(200, `revision ${log.revision}`);
  }

  server.listen(port);
  await once(server, 'listening');
  const copying = primary === undefined ? Promise.resolve() : copy(primary);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get isUpToDate() {
      return isUpToDate;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await copying;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      log.close();
    },
  };
}

/** The answer to a replica. */
interface News {
  readonly revision: number;
  readonly entries: readonly Entry[];
}

/** Fetches new writes. True if the replica is equal to the primary; detects a primary that has lost its data. */
async function copyOnce(log: LogFile, from: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`${from}/log?after=${log.revision}`, { signal });
  if (!response.ok) return false;
  const { revision, entries } = (await response.json()) as News;
  log.append(entries);
  return log.revision === revision;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
