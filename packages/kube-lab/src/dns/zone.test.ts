// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dnsTypes } from './message.ts';
import { type DnsRecord, reverseName } from './record.ts';
import { Zone } from './zone.ts';

const a = (name: string, address: string): DnsRecord => ({ type: 'A', name, address });
const addresses = (zone: Zone, name: string) =>
  zone.resolve(name, dnsTypes.A).answers.map((record) => (record.type === 'A' ? record.address : record.type));

describe('a zone', () => {
  test('answers for a known name, whatever its letters', () => {
    const zone = new Zone();
    zone.put('s', [a('web.ns.svc.cluster.local', '10.0.0.1')]);
    expect(addresses(zone, 'WEB.ns.svc.cluster.LOCAL.')).toEqual(['10.0.0.1']);
  });

  test('says NOERROR without data for another type and for names above, NXDOMAIN for any other name', () => {
    const zone = new Zone();
    zone.put('s', [a('a.web.ns.svc.cluster.local', '10.0.0.1')]);
    expect(zone.resolve('a.web.ns.svc.cluster.local', dnsTypes.AAAA)).toEqual({
      code: 'NOERROR',
      answers: [],
      additional: [],
    });
    expect(zone.resolve('web.ns.svc.cluster.local', dnsTypes.A).code).toBe('NOERROR');
    expect(zone.resolve('b.web.ns.svc.cluster.local', dnsTypes.A).code).toBe('NXDOMAIN');
    expect(zone.resolve('example.com', dnsTypes.A).code).toBe('NXDOMAIN');
    expect(zone.resolve('cluster.local', dnsTypes.A).code).toBe('NOERROR');
  });

  test('gives a record of two owners once, until both are gone', () => {
    const zone = new Zone();
    zone.put('one', [a('x', '10.0.0.1')]);
    zone.put('two', [a('x', '10.0.0.1'), a('x', '10.0.0.2')]);
    expect(addresses(zone, 'x')).toEqual(['10.0.0.1', '10.0.0.2']);
    zone.put('two', []);
    expect(addresses(zone, 'x')).toEqual(['10.0.0.1']);
    zone.put('one', []);
    expect(zone.resolve('x', dnsTypes.A).code).toBe('NXDOMAIN');
  });

  test('sends the addresses of SRV targets along', () => {
    const zone = new Zone();
    const service = {
      type: 'SRV',
      name: '_c._tcp.web',
      priority: 0,
      weight: 100,
      port: 2379,
      target: 'a.web',
    } as const;
    zone.put('s', [service, a('a.web', '10.0.0.1')]);
    expect(zone.resolve('_c._tcp.web', dnsTypes.SRV)).toEqual({
      code: 'NOERROR',
      answers: [service],
      additional: [a('a.web', '10.0.0.1')],
    });
  });

  test('gives every address its own name', () => {
    const zone = new Zone();
    expect(addresses(zone, '10-244-1-2.ns.pod.cluster.local')).toEqual(['10.244.1.2']);
    expect(zone.resolve('x.ns.pod.cluster.local', dnsTypes.A).code).toBe('NXDOMAIN');
  });

  test('follows an alias', () => {
    const zone = new Zone();
    const alias = { type: 'CNAME', name: 'x', target: 'web' } as const;
    zone.put('s', [alias, a('web', '10.0.0.1')]);
    expect(zone.resolve('x', dnsTypes.A).answers).toEqual([alias, a('web', '10.0.0.1')]);
  });

  test('is the sum of what its owners put last', () => {
    const owner = fc.constantFrom('one', 'two', 'three');
    const record = fc.record({ name: fc.constantFrom('x', 'y.x', 'z.y.x'), host: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(fc.tuple(owner, fc.array(record, { maxLength: 4 }))), (steps) => {
        const zone = new Zone();
        const model = new Map<string, readonly { name: string; host: number }[]>();
        for (const [who, records] of steps) {
          zone.put(
            who,
            records.map(({ name, host }) => a(name, `10.0.0.${host}`)),
          );
          model.set(who, records);
        }
        const all = [...model.values()].flat();
        for (const name of ['x', 'y.x', 'z.y.x']) {
          const expected = new Set(all.filter((each) => each.name === name).map(({ host }) => `10.0.0.${host}`));
          const exists = all.some((each) => each.name === name || each.name.endsWith(`.${name}`));
          expect(new Set(addresses(zone, name))).toEqual(expected);
          expect(zone.resolve(name, dnsTypes.A).code).toBe(exists ? 'NOERROR' : 'NXDOMAIN');
        }
      }),
    );
  });
});

test('the name of a reverse lookup turns the address round', () => {
  expect(reverseName('10.1.2.3')).toBe('3.2.1.10.in-addr.arpa');
});
