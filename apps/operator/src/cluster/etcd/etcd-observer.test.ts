// SPDX-License-Identifier: Apache-2.0
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { clientPort, type Dialer, metricsPort, networkDialer } from '@operator-parts/etcd';
import { systemClock, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { EtcdObserver } from './etcd-observer.ts';

/** An address at which no process accepts or refuses the connection. */
const intoTheVoid = (_: unknown, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('nobody was there')), { once: true });
  });

const nobody = { tls: undefined, login: undefined };

/** Milliseconds that the observation of one pod takes if no process answers at its address. */
async function patience(isEnding: boolean, hasEnded = false): Promise<number> {
  const clock = new VirtualClock(0);
  const observer = new EtcdObserver({ clock, dial: intoTheVoid });
  const target = { podName: 'c-a', podUid: 'u1', ip: '10.0.0.1', serverName: 'c-a.c.ns.svc', isEnding, hasEnded };
  const { signal } = new AbortController();
  let ended = false;
  const observe = observer.observe([target], nobody, { aboutUpgrade: false }, signal).then(({ answers }) => {
    ended = true;
    expect(answers.get('c-a')?.kind).toBe('unreachable');
  });
  while (!ended && clock.now() < 10_000) {
    await clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await observe;
  return clock.now();
}

describe('an address that leads nowhere', () => {
  test('is given two seconds', async () => {
    expect(await patience(false)).toBeGreaterThanOrEqual(2_000);
  });

  test('is given a moment if its pod is being deleted: the next one waits', async () => {
    expect(await patience(true)).toBeLessThan(1_000);
  });

  test('is not asked at all once its process has ended, too', async () => {
    expect(await patience(true, true)).toBeLessThanOrEqual(50);
  });
});

describe('a member that is up and keeps its client port closed', () => {
  /** Observes a member whose client port accepts connections and sends nothing, while its metrics are served. */
  async function observe(isJoining: boolean) {
    await using closed = await listening(createServer());
    await using metrics = await listening(
      createHttpServer((_request, response) => response.end('etcd_server_proposals_applied_total 1234\n')),
    );
    const ports = new Map([
      [clientPort, closed.port],
      [metricsPort, metrics.port],
    ]);
    const dial: Dialer = ({ port }, signal) => networkDialer({ host: '127.0.0.1', port: ports.get(port) ?? 0 }, signal);
    const observer = new EtcdObserver({ clock: systemClock, dial });
    const target = { podName: 'c-a', podUid: 'u1', ip: '10.0.0.1', serverName: 'c-a.c.ns.svc', isJoining };
    const { answers } = await observer.observe([target], nobody, { aboutUpgrade: false }, new AbortController().signal);
    observer.close();
    return answers.get('c-a');
  }

  test('and joins: tells how far it is', async () => {
    expect(await observe(true)).toMatchObject({ kind: 'peerOnly', applied: 1234 });
  });

  test('and does not join: is unreachable', async () => {
    expect(await observe(false)).toMatchObject({ kind: 'unreachable', neverAnswered: true });
  });
});

/** A server on a free port; disposing it closes its connections. */
async function listening(server: Server) {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
