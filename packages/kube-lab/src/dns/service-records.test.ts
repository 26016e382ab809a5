// SPDX-License-Identifier: Apache-2.0
import type { EndpointSlice, Service } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { dnsTypes } from './message.ts';
import { serviceRecords } from './service-records.ts';
import { Zone } from './zone.ts';

const metadata = { name: 'etcd', namespace: 'ns' };
const slice = (endpoints: NonNullable<EndpointSlice['endpoints']>): EndpointSlice => ({
  addressType: 'IPv4',
  endpoints,
  ports: [{ name: 'client', port: 2379, protocol: 'TCP' }],
});

function zoneOf(spec: NonNullable<Service['spec']>, endpoints: NonNullable<EndpointSlice['endpoints']> = []): Zone {
  const zone = new Zone();
  zone.put('s', serviceRecords({ metadata, spec }, [slice(endpoints)]));
  return zone;
}

const answers = (zone: Zone, name: string, type: number) =>
  zone.resolve(name, type).answers.map((record) => ('address' in record ? record.address : record.target));

describe('a service', () => {
  test('with a cluster IP has its name, its ports and the way back', () => {
    const zone = zoneOf({ clusterIP: '10.96.0.9', ports: [{ name: 'client', port: 79 }] }, [
      { addresses: ['10.244.1.2'] },
    ]);
    expect(answers(zone, 'etcd.ns.svc.cluster.local', dnsTypes.A)).toEqual(['10.96.0.9']);
    expect(answers(zone, '9.0.96.10.in-addr.arpa', dnsTypes.PTR)).toEqual(['etcd.ns.svc.cluster.local']);
    expect(zone.resolve('_client._tcp.etcd.ns.svc.cluster.local', dnsTypes.SRV).answers).toEqual([
      expect.objectContaining({ port: 79, target: 'etcd.ns.svc.cluster.local' }),
    ]);
  });

  test('a headless Service resolves to every ready endpoint, each with its own name', () => {
    const zone = zoneOf({ clusterIP: 'None' }, [
      { addresses: ['10.244.1.2'], hostname: 'etcd-0', conditions: { ready: true } },
      { addresses: ['10.244.1.3'], conditions: { ready: true } },
      { addresses: ['10.244.1.4'], hostname: 'etcd-2', conditions: { ready: false } },
    ]);
    expect(answers(zone, 'etcd.ns.svc.cluster.local', dnsTypes.A)).toEqual(['10.244.1.2', '10.244.1.3']);
    expect(answers(zone, 'etcd-0.etcd.ns.svc.cluster.local', dnsTypes.A)).toEqual(['10.244.1.2']);
    expect(answers(zone, '10-244-1-3.etcd.ns.svc.cluster.local', dnsTypes.A)).toEqual(['10.244.1.3']);
    expect(answers(zone, '2.1.244.10.in-addr.arpa', dnsTypes.PTR)).toEqual(['etcd-0.etcd.ns.svc.cluster.local']);
    expect(zone.resolve('etcd-2.etcd.ns.svc.cluster.local', dnsTypes.A).code).toBe('NXDOMAIN');
    expect(answers(zone, '_client._tcp.etcd.ns.svc.cluster.local', dnsTypes.SRV)).toEqual([
      'etcd-0.etcd.ns.svc.cluster.local',
      '10-244-1-3.etcd.ns.svc.cluster.local',
    ]);
  });

  test('has records of both IP families, and the way back from each', () => {
    const zone = new Zone();
    const slices: readonly EndpointSlice[] = [
      slice([{ addresses: ['10.244.1.2'], hostname: 'etcd-0' }]),
      { ...slice([{ addresses: ['fd00:10:244:1::2'], hostname: 'etcd-0' }]), addressType: 'IPv6' },
    ];
    zone.put('headless', serviceRecords({ metadata, spec: { clusterIP: 'None' } }, slices));
    const both = { clusterIP: 'fd00:10:96::9', clusterIPs: ['fd00:10:96::9', '10.96.0.9'] };
    zone.put('both', serviceRecords({ metadata: { ...metadata, name: 'both' }, spec: both }, []));
    expect(answers(zone, 'etcd-0.etcd.ns.svc.cluster.local', dnsTypes.A)).toEqual(['10.244.1.2']);
    expect(answers(zone, 'etcd-0.etcd.ns.svc.cluster.local', dnsTypes.AAAA)).toEqual(['fd00:10:244:1::2']);
    expect(answers(zone, 'both.ns.svc.cluster.local', dnsTypes.AAAA)).toEqual(['fd00:10:96::9']);
    expect(answers(zone, 'both.ns.svc.cluster.local', dnsTypes.A)).toEqual(['10.96.0.9']);
    const back = `2.${'0.'.repeat(15)}1.0.0.0.4.4.2.0.0.1.0.0.0.0.d.f.ip6.arpa`;
    expect(answers(zone, back, dnsTypes.PTR)).toEqual(['etcd-0.etcd.ns.svc.cluster.local']);
    expect(answers(zone, 'fd00-10-244-1--7.ns.pod.cluster.local', dnsTypes.AAAA)).toEqual(['fd00:10:244:1::7']);
  });

  test('without a cluster IP and without endpoints does not exist', () => {
    expect(zoneOf({ clusterIP: 'None' }).resolve('etcd.ns.svc.cluster.local', dnsTypes.A).code).toBe('NXDOMAIN');
  });

  test('of an external name is an alias', () => {
    const zone = zoneOf({ type: 'ExternalName', externalName: 'Other.Example' });
    expect(answers(zone, 'etcd.ns.svc.cluster.local', dnsTypes.A)).toEqual(['other.example']);
  });
});
