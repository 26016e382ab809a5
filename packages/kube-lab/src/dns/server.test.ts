// SPDX-License-Identifier: Apache-2.0
import { Resolver } from 'node:dns/promises';
import { VirtualClock } from '@operator-parts/ports';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type DnsServer, startDnsServer } from './server.ts';
import { Zone } from './zone.ts';

let zone: Zone;
let clock: VirtualClock;
let server: DnsServer;
let resolver: Resolver;

beforeEach(async () => {
  zone = new Zone();
  clock = new VirtualClock();
  server = await startDnsServer({ zone, clock, address: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
});

const put = (address = '10.0.0.1') => zone.put('s', [{ type: 'A', name: 'web.test', address }]);

describe('the DNS server', () => {
  test('answers a real resolver', async () => {
    put();
    expect(await resolver.resolve4('web.test')).toEqual(['10.0.0.1']);
    await expect(resolver.resolve6('web.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('other.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('answers over TCP what is too large for UDP', async () => {
    const records = Array.from(
      { length: 200 },
      (_, index) => ({ type: 'A', name: 'big.test', address: `10.0.0.${index}` }) as const,
    );
    zone.put('big', records);
    expect(await resolver.resolve4('big.test')).toHaveLength(200);
  });

  test('with a negative cache does not see a name that came too late, for a while', async () => {
    server.behave({ negativeCacheMilliseconds: 10_000 });
    await expect(resolver.resolve4('web.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    put();
    await clock.advance(9999);
    await expect(resolver.resolve4('web.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await clock.advance(1);
    expect(await resolver.resolve4('web.test')).toEqual(['10.0.0.1']);
  });

  test('can fail and stop answering', async () => {
    put();
    server.behave({ mode: 'failing' });
    await expect(resolver.resolve4('web.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    server.behave({ mode: 'unresponsive' });
    await expect(resolver.resolve4('web.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    server.behave({ mode: 'normal' });
    expect(await resolver.resolve4('web.test')).toEqual(['10.0.0.1']);
  });
});
