// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import { urlHost } from '../../network/addresses.ts';
import { type ApiResponse, header } from '../../server/api-request.ts';
import type { Call } from '../../server/core.ts';
import { type ProxyTarget, proxyTarget, unavailable } from './proxy-target.ts';

/** Headers that are not forwarded: hop-by-hop headers, and headers that are meant for the API server. */
const ownHeaders = new Set([
  'authorization',
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Serves any verb on `pods/proxy` and `services/proxy`: sends the request to the port and returns the answer. */
export async function proxyRequest(call: Call): Promise<ApiResponse> {
  const { method, url } = call.request;
  const target = proxyTarget(call);
  const { prefix, rest } = splitUrl(call, url);
  if (rest === '' || rest.startsWith('?')) {
    if (method === 'GET' || method === 'HEAD') return redirect(`${prefix}/${rest}`);
  }
  const socket = await dial(call, target);
  const response = await send(call, target, socket, rest.startsWith('/') ? rest : `/${rest}`, prefix);
  return { status: response.statusCode ?? 502, headers: headersOf(response.headers, prefix), body: response };
}

/** Redirects to the path with a final slash, so that relative links in a page lead to the right place. */
function redirect(location: string): ApiResponse {
  return { status: 301, headers: { location }, body: '' };
}

/** The part of the path up to and including `proxy`, and the rest as the client wrote it. */
function splitUrl({ info }: Call, url: string): { readonly prefix: string; readonly rest: string } {
  const at = url.indexOf('?');
  const parts = (at < 0 ? url : url.slice(0, at)).split('/');
  const length = info.namespace === '' ? 6 : 8;
  const rest = parts.slice(length);
  const query = at < 0 ? '' : url.slice(at);
  return { prefix: parts.slice(0, length).join('/'), rest: (rest.length > 0 ? `/${rest.join('/')}` : '') + query };
}

async function dial(call: Call, { address, port }: ProxyTarget): Promise<Duplex> {
  const { current } = call.core.dialService;
  const failed = `error trying to reach service: dial tcp ${urlHost(address)}:${port}: connect: `;
  if (!current) throw unavailable(`${failed}this server has no nodes, so no pod runs`);
  try {
    return await current(address, port);
  } catch (error) {
    const { code, message = '' } = error as { code?: string; message?: string };
    const isRefused = code === 'ECONNREFUSED' || message.includes('ECONNREFUSED');
    throw unavailable(failed + (isRefused ? 'connection refused' : message));
  }
}

function send(
  call: Call,
  { secure, address, port }: ProxyTarget,
  socket: Duplex,
  path: string,
  prefix: string,
): Promise<IncomingMessage> {
  const { method, body, signal } = call.request;
  const headers: Record<string, string | string[]> = {
    host: `${urlHost(address)}:${port}`,
    'x-forwarded-host': header(call.request, 'host') ?? '',
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': prefix + path.replace(/\?.*$/s, ''),
  };
  for (const [name, value] of Object.entries(call.request.headers)) {
    if (!ownHeaders.has(name) && !name.startsWith('impersonate-')) {
      headers[name] = typeof value === 'string' ? value : [...value];
    }
  }
  if (body !== undefined && body !== '') headers['content-length'] = String(Buffer.byteLength(body));
  // The certificates of pods are not verified, as on the real server.
  const connection = secure ? tlsConnect({ socket, rejectUnauthorized: false }) : socket;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ method, path, headers, signal, createConnection: () => connection }, resolve);
    request.on('error', (error) => reject(unavailable(`error trying to reach service: ${error.message}`)));
    request.end(body);
  });
}

function headersOf(incoming: IncomingHttpHeaders, prefix: string): ApiResponse['headers'] {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined && (!ownHeaders.has(name) || name === 'content-length')) headers[name] = value;
  }
  const { location } = headers;
  // A redirect within the target is rewritten to go through the proxy.
  if (typeof location === 'string' && /^\/(?!\/)/.test(location)) headers['location'] = prefix + location;
  return headers;
}
