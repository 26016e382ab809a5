// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { EndpointSlice, Service } from '@operator-parts/kube';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AddressPool } from './addresses.ts';
import { openForward } from './forward.ts';
import { serviceRoute } from './service-routes.ts';

describe('an address pool', () => {
  test('hands out each address once and uses freed ones last', () => {
    const pool = new AddressPool(0, ['IPv4']);
    expect(pool.take()).toEqual(['10.244.1.2']);
    pool.give(['10.244.1.2']);
    expect(pool.take()).toEqual(['10.244.1.3']);
    const rest = Array.from({ length: 251 }, () => pool.take()?.[0]);
    expect(new Set(rest).size).toBe(251);
    expect(rest.at(-1)).toBe('10.244.1.254');
    expect(pool.take()).toEqual(['10.244.1.2']);
    expect(pool.take()).toBeUndefined();
  });

  test('hands out an address of each family, with the same number', () => {
    const pool = new AddressPool(9, ['IPv6', 'IPv4']);
    for (let count = 0; count < 8; count++) pool.take();
    expect(pool.take()).toEqual(['fd00:10:244:a::a', '10.244.10.10']);
  });

  test('never has two owners for one address', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3)), (steps) => {
        const pool = new AddressPool(4, ['IPv6', 'IPv4']);
        const held = new Set<string>();
        for (const step of steps) {
          const [oldest] = held;
          if (step === 0 && oldest) {
            pool.give([oldest]);
            held.delete(oldest);
            continue;
          }
          const address = pool.take()?.[0] ?? '';
          expect(held.has(address)).toBe(false);
          held.add(address);
        }
      }),
    );
  });
});

describe('the route of a service', () => {
  const service: Service = {
    metadata: { name: 's' },
    spec: { clusterIP: '10.96.0.9', ports: [{ name: 'web', port: 80 }] },
  };
  const slice = (...endpoints: NonNullable<EndpointSlice['endpoints']>): EndpointSlice => ({
    addressType: 'IPv4',
    endpoints,
    ports: [{ name: 'web', port: 8080 }],
  });
  const targets = (...slices: EndpointSlice[]) =>
    serviceRoute(service, slices, 'IPv4')?.ports[0]?.targets.map(({ host }) => host);

  test('leads to ready endpoints', () => {
    const ready = { addresses: ['10.0.0.1'], conditions: { ready: true } };
    const other = { addresses: ['10.0.0.2'], conditions: { ready: false } };
    expect(targets(slice(ready, other))).toEqual(['10.0.0.1']);
  });

  test('leads to ending endpoints if there are no others', () => {
    const ending = { addresses: ['10.0.0.1'], conditions: { ready: false, serving: true, terminating: true } };
    const broken = { addresses: ['10.0.0.2'], conditions: { ready: false, serving: false, terminating: true } };
    expect(targets(slice(ending, broken))).toEqual(['10.0.0.1']);
  });

  test('leads from the cluster IP of a family to endpoints of the same', () => {
    const both: Service = { ...service, spec: { ...service.spec, clusterIPs: ['10.96.0.9', 'fd00:10:96::9'] } };
    const ready = { conditions: { ready: true } };
    const slices: readonly EndpointSlice[] = [
      slice({ ...ready, addresses: ['10.0.0.1'] }),
      { ...slice({ ...ready, addresses: ['fd00::1'] }), addressType: 'IPv6' },
    ];
    expect(serviceRoute(both, slices, 'IPv6')).toEqual({
      address: 'fd00:10:96::9',
      ports: [{ port: 80, targets: [{ host: 'fd00::1', port: 8080 }] }],
    });
    expect(serviceRoute(both, slices, 'IPv4')?.ports[0]?.targets).toEqual([{ host: '10.0.0.1', port: 8080 }]);
    expect(serviceRoute(service, slices, 'IPv6')).toBeUndefined();
  });

  test('does not exist without a cluster IP', () => {
    expect(serviceRoute({ ...service, spec: { clusterIP: 'None' } }, [], 'IPv4')).toBeUndefined();
  });
});

test('a forwarded port passes bytes both ways and half-closes', async () => {
  const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => void echo.close());
  await once(echo, 'listening');
  const { port } = echo.address() as { port: number };
  await using forward = await openForward(async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  });
  const client = connect({ port: forward.port, host: '127.0.0.1', allowHalfOpen: true });
  client.end('x'.repeat(100_000));
  let received = 0;
  for await (const chunk of client) received += (chunk as Buffer).length;
  expect(received).toBe(100_000);
});
