// SPDX-License-Identifier: Apache-2.0
import type { EndpointSlice, Service } from '@operator-parts/kube';
import { addressRecord, type DnsRecord, reverseName } from './record.ts';

type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];
type SlicePort = NonNullable<EndpointSlice['ports']>[number];

/**
 * The records of a Service.
 * - The name of the Service maps to its cluster IP; if the Service is headless, to every ready endpoint.
 * - An endpoint has a name below the Service: its hostname, or its address with dashes.
 * - Named ports have SRV records, and every address has a reverse record.
 *
 * The EndpointSlices say which endpoints are ready; with `publishNotReadyAddresses`, all are.
 */
export function serviceRecords(service: Service, slices: readonly EndpointSlice[]): readonly DnsRecord[] {
  const name = `${service.metadata?.name}.${service.metadata?.namespace}.svc.cluster.local`;
  const { clusterIP, clusterIPs = [], type, externalName } = service.spec ?? {};
  if (type === 'ExternalName') return [{ type: 'CNAME', name, target: (externalName ?? '').toLowerCase() }];
  const endpointRecords = slices.flatMap((slice) => recordsOfSlice(name, slice, clusterIP === 'None'));
  if (clusterIP === 'None') return endpointRecords;
  if (!clusterIP) return [];
  const ports = (service.spec?.ports ?? []).flatMap((port) =>
    srvRecord(name, name, port.name, port.protocol, port.port),
  );
  return [
    ...[...new Set([clusterIP, ...clusterIPs])].flatMap((address): readonly DnsRecord[] => [
      addressRecord(name, address),
      { type: 'PTR', name: reverseName(address), target: name },
    ]),
    ...ports,
    ...endpointRecords.filter(({ type: each }) => each === 'A' || each === 'AAAA'),
  ];
}

function recordsOfSlice(service: string, slice: EndpointSlice, isHeadless: boolean): readonly DnsRecord[] {
  return (slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap((endpoint) => recordsOfEndpoint(service, endpoint, slice.ports ?? [], isHeadless));
}

function recordsOfEndpoint(
  service: string,
  endpoint: SliceEndpoint,
  ports: readonly SlicePort[],
  isHeadless: boolean,
): readonly DnsRecord[] {
  const [address] = endpoint.addresses;
  if (!address) return [];
  const name = `${endpoint.hostname ?? address.replaceAll(/[.:]/g, '-')}.${service}`;
  const own: readonly DnsRecord[] = [
    addressRecord(name, address),
    { type: 'PTR', name: reverseName(address), target: name },
  ];
  if (!isHeadless) return own;
  return [
    ...own,
    addressRecord(service, address),
    ...ports.flatMap(({ name: port, protocol, port: number }) => srvRecord(service, name, port, protocol, number)),
  ];
}

function srvRecord(
  service: string,
  target: string,
  port: string | undefined,
  protocol: string | undefined,
  number: number | undefined,
): readonly DnsRecord[] {
  if (!port || number === undefined) return [];
  const name = `_${port}._${(protocol ?? 'TCP').toLowerCase()}.${service}`;
  return [{ type: 'SRV', name, priority: 0, weight: 100, port: number, target }];
}
