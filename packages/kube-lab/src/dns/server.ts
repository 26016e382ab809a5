// SPDX-License-Identifier: Apache-2.0
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type Socket } from 'node:net';
import type { Clock } from '@operator-parts/ports';
import { type DnsAnswer, encodeAnswer, parseQuestion } from './message.ts';
import { NegativeCache } from './negative-cache.ts';
import type { Zone } from './zone.ts';

/** Faults of the server, and how long answers may be cached. Can be changed at any time. */
export interface DnsBehaviour {
  /** How many seconds clients may cache an answer. */
  readonly ttlSeconds: number;
  /** How long a negative answer is repeated. 0: no negative cache. */
  readonly negativeCacheMilliseconds: number;
  /** `unresponsive` answers nothing, `failing` answers SERVFAIL. */
  readonly mode: 'normal' | 'unresponsive' | 'failing';
}

/** The defaults of a cluster DNS, without a cache. */
export const defaultDnsBehaviour: DnsBehaviour = { ttlSeconds: 5, negativeCacheMilliseconds: 0, mode: 'normal' };

export interface DnsServer {
  readonly port: number;
  behave(change: Partial<DnsBehaviour>): void;
  close(): void;
}

interface DnsServerOptions {
  readonly zone: Zone;
  readonly clock: Clock;
  readonly address: string;
  readonly port: number;
}

/** Serves a zone on UDP and TCP. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  for (let triesLeft = 4; ; triesLeft -= 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // A port that is free for UDP may be in use for TCP. With port 0, the next try gets another port.
      if (options.port !== 0 || triesLeft === 0) throw error;
    }
  }
}

async function startOnce(options: DnsServerOptions): Promise<DnsServer> {
  const { zone, clock, address, port } = options;
  const negative = new NegativeCache(clock);
  let behaviour = defaultDnsBehaviour;

  const resolve = (name: string, type: number): DnsAnswer => {
    if (behaviour.mode === 'failing') return { code: 'SERVFAIL', answers: [], additional: [] };
    if (negative.has(name)) return { code: 'NXDOMAIN', answers: [], additional: [] };
    const answer = zone.resolve(name, type);
    if (answer.code === 'NXDOMAIN') negative.add(name, behaviour.negativeCacheMilliseconds);
    return answer;
  };
  const answerTo = (packet: Uint8Array, overUdp: boolean): Uint8Array | undefined => {
    const question = behaviour.mode === 'unresponsive' ? undefined : parseQuestion(packet);
    if (!question) return undefined;
    const limit = overUdp ? question.maxBytes : undefined;
    return encodeAnswer(question, resolve(question.name, question.type), behaviour.ttlSeconds, limit);
  };

  const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  udp.on('message', (packet, peer) => {
    const answer = answerTo(packet, true);
    if (answer) udp.send(answer, peer.port, peer.address);
  });
  // Ignored: the client may be gone when the answer is sent.
  udp.on('error', () => undefined);
  udp.bind(port, address);
  await once(udp, 'listening');

  const tcp = createServer((socket) => serveTcp(socket, (packet) => answerTo(packet, false)));
  tcp.listen(udp.address().port, address);
  await once(tcp, 'listening').catch((error: unknown) => {
    udp.close();
    throw error;
  });

  return {
    port: udp.address().port,
    behave: (change) => {
      behaviour = { ...behaviour, ...change };
      if (behaviour.negativeCacheMilliseconds === 0) negative.clear();
    },
    close: () => {
      udp.close();
      tcp.close();
    },
  };
}

/** Over TCP each message is preceded by its length. */
function serveTcp(socket: Socket, answerTo: (packet: Uint8Array) => Uint8Array | undefined): void {
  let pending = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const answer = answerTo(pending.subarray(2, end));
      pending = pending.subarray(end);
      if (!answer) {
        socket.destroy();
        return;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    }
  });
}
