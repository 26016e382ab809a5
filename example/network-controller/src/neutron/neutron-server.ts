// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FailurePlan } from './failure-plan.ts';
import { answerTo, type NetworkTable } from './network-requests.ts';

export interface NeutronServerOptions {
  /** The initial networks; updated on changes, so that another server can continue with them. @default nothing */
  readonly networks?: NetworkTable;
  /** On loopback. @default one that is free */
  readonly port?: number;
}

/** A small but real network service: networks over HTTP, in memory, with failures on request. */
export interface NeutronServer extends AsyncDisposable {
  readonly url: string;
  /** The actual state. Changes made here bypass the controller. */
  readonly networks: NetworkTable;
  readonly failures: FailurePlan;
}

/** Maximum body size in bytes. */
const longestBody = 10_000;

export async function startNeutron(options: NeutronServerOptions = {}): Promise<NeutronServer> {
  const networks: NetworkTable = options.networks ?? new Map();
  const failures = new FailurePlan();
  const server = createServer((request, response) => {
    void serve(request, response, networks, failures).catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    networks,
    failures,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  networks: NetworkTable,
  failures: FailurePlan,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const body = await readBody(request);
  // The request for failures itself does not fail.
  const failure = url === '/failures' ? 'none' : failures.next();
  const answer = failure === 'before effect' ? undefined : answerTo({ method, path: url, body }, networks, failures);
  const { status, content } = failure === 'none' && answer ? answer : { status: 503, content: 'out of order' };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(content)}\n`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > longestBody) throw new Error('the body is too long');
  }
  return text;
}
