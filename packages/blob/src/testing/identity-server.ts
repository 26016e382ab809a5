// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { testdata } from './testdata.ts';

/** The received requests. */
export interface IdentityRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on loopback that issues credentials, like those inside the machines of clouds. */
export interface IdentityServer {
  readonly url: string;
  readonly port: number;
  readonly asked: readonly IdentityRequest[];
  readonly stop: () => Promise<void>;
}

/**
 * @param answer undefined for an unknown path
 * @param options.tls a certificate from testdata instead of plain HTTP
 */
export async function startIdentityServer(
  answer: (request: IdentityRequest) => string | object | undefined,
  options: { readonly tls?: boolean } = {},
): Promise<IdentityServer> {
  const asked: IdentityRequest[] = [];
  const listener: RequestListener = (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      asked.push(request);
      const said = answer(request);
      const type = typeof said === 'object' ? 'application/json' : 'text/xml';
      outgoing.writeHead(said === undefined ? 404 : 200, { 'content-type': type, 'metadata-flavor': 'Google' });
      outgoing.end(typeof said === 'object' ? JSON.stringify(said) : said);
    });
  };
  const pem = (name: string) => readFileSync(testdata(name));
  const server = options.tls
    ? createTlsServer({ cert: pem('server.pem'), key: pem('server.key') }, listener)
    : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`, port, asked, stop };
}
