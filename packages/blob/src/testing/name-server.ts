// SPDX-License-Identifier: Apache-2.0
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** The address, with its port. */
  readonly address: string;
  /** The queries, in order. */
  readonly asked: readonly string[];
  readonly stop: () => void;
}

/**
 * The addresses of a name; none if it has none of this type, undefined if there is no such name, `unresponsive` for no
 * answer, `unsupported` if the server does not support this type of query.
 */
export type NameAnswer = readonly string[] | undefined | 'unresponsive' | 'unsupported';

const types: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };

/** A real name server on loopback with the names of a test, reachable by IPv4. */
export async function startNameServer(answer: (name: string, type: string) => NameAnswer): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = questionOf(query);
    const type = types[query.readUInt16BE(end)] ?? '';
    asked.push(`${name} ${type}`);
    const said = answer(name, type);
    if (said !== 'unresponsive') socket.send(response(query, end, said), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, stop: () => socket.close() };
}

function questionOf(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function response(query: Buffer, end: number, said: Exclude<NameAnswer, 'unresponsive'>): Buffer {
  const addresses = said === 'unsupported' ? [] : (said ?? []);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response with recursion; 3 means NXDOMAIN, 4 that this type of query is not implemented.
  header.writeUInt16BE(0x8180 + (said === 'unsupported' ? 4 : said ? 0 : 3), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 0, 0, 0, 0]);
    record.set(address.split('.').map(Number), 12);
    return record;
  });
  return Buffer.concat([header, query.subarray(12, end + 4), ...records]);
}
