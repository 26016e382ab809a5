// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const keySuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The headers of a client's WebSocket request. `key` is 16 random bytes. */
export function upgradeHeaders(key: Uint8Array, protocols: readonly string[]): Readonly<Record<string, string>> {
  return {
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.from(key).toString('base64'),
    ...(protocols.length > 0 ? { 'sec-websocket-protocol': protocols.join(', ') } : {}),
  };
}

/** A server's `Sec-WebSocket-Accept` for a key. */
function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}${keySuffix}`).digest('base64');
}

/** Checks a server's answer. Returns the chosen subprotocol, or the error. */
export function checkAnswer(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  key: Uint8Array,
  protocols: readonly string[],
): { readonly protocol: string } | { readonly problem: string } {
  if (headers['sec-websocket-accept'] !== acceptOf(Buffer.from(key).toString('base64'))) {
    return { problem: 'its Sec-WebSocket-Accept does not match the key that was sent' };
  }
  const protocol = headers['sec-websocket-protocol'] ?? '';
  if (typeof protocol !== 'string' || (protocols.length > 0 && !protocols.includes(protocol))) {
    return { problem: `it chose the subprotocol ${JSON.stringify(protocol)}, which was not offered` };
  }
  return { protocol };
}

/** The server's side: the answer to an upgrade request, and the client's first subprotocol that the server supports. */
export function answerUpgrade(
  headers: IncomingHttpHeaders,
  known: readonly string[],
): { readonly protocol: string; readonly response: string } | undefined {
  const key = headers['sec-websocket-key'];
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const protocol = offered.find((name) => known.includes(name));
  if (!key || headers['sec-websocket-version'] !== '13' || protocol === undefined) return undefined;
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    `Sec-WebSocket-Protocol: ${protocol}`,
  ];
  return { protocol, response: `${lines.join('\r\n')}\r\n\r\n` };
}
