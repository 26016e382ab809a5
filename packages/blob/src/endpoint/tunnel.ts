// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { BlobError } from '../blob-error.ts';
import type { StoreProxy } from './proxy.ts';

/** How long a proxy may take to connect, in milliseconds. */
const patience = 30_000;

/** Asks the proxy for a connection to a host. The proxy only forwards what that host and this process send. */
export function openTunnel({ url }: StoreProxy, host: string, port: string): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const headers = {
    host: target,
    ...(url.username !== '' && { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
  };
  const options = {
    host: url.hostname,
    port: url.port,
    method: 'CONNECT',
    path: target,
    headers,
    agent: false,
  } as const;
  return new Promise((resolve, reject) => {
    const through = `the proxy ${url.host} (HTTPS_PROXY)`;
    const request = url.protocol === 'https:' ? httpsRequest(options) : httpRequest(options);
    const tooLong = () => request.destroy(new Error(`no answer within ${patience / 1000} s`));
    request.setTimeout(patience, tooLong);
    request.once('error', (error) => {
      reject(new BlobError('Unavailable', `no connection to ${target} through ${through}: ${error.message}`));
    });
    const refuse = ({ statusCode = 0, statusMessage = '' }: IncomingMessage) => {
      reject(
        new BlobError('Unavailable', `${through} refused to connect to ${target}: ${statusCode} ${statusMessage}`),
      );
      request.destroy();
    };
    request.once('response', refuse);
    request.once('connect', (answer, socket: Socket) => {
      if (answer.statusCode !== 200) {
        refuse(answer);
        return;
      }
      socket.removeListener('timeout', tooLong);
      socket.setTimeout(0);
      resolve(socket);
    });
    request.end();
  });
}
