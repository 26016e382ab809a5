// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { familyOf, type IpFamily, serviceAddress, serviceRange } from '../../network/addresses.ts';
import { inRange } from '../../network/cidr.ts';
import { type FieldError, invalid } from '../../validation/field-error.ts';
import type { WriteContext } from '../strategy.ts';

/** The validation errors of the addresses and node ports that a Service requests. */
export function validateAllocation(object: JsonObject, context: WriteContext): readonly FieldError[] {
  const { name, namespace } = asObject(object['metadata']) ?? {};
  const own = `${String(namespace)}/${String(name)}`;
  const others = context.store
    .list('services')
    .filter(({ key }) => key !== own)
    .map((stored) => asObject(stored.object['spec']) ?? {});
  const spec = asObject(object['spec']) ?? {};
  const taken = new Set(others.flatMap(addressesOf));
  const errors = addressesOf(spec).flatMap((address) => {
    const why = taken.has(address)
      ? 'provided IP is already allocated'
      : 'the provided network does not match the current range';
    if (!taken.has(address) && context.ipFamilies.some((family) => inRange(address, serviceRange[family]))) return [];
    return [invalid('spec.clusterIPs', [address], `failed to allocate IP ${address}: ${why}`)];
  });
  return [...errors, ...validateNodePorts(asObjects(spec['ports']), others)];
}

function validateNodePorts(ports: readonly JsonObject[], others: readonly JsonObject[]): FieldError[] {
  const taken = new Set(others.flatMap((other) => asObjects(other['ports']).map((port) => port['nodePort'])));
  return ports.flatMap((port, index) => {
    const number = asNumber(port['nodePort']);
    if (!number) return [];
    const field = `spec.ports[${index}].nodePort`;
    if (number < 30_000 || number > 32_767) {
      return [
        invalid(field, number, 'provided port is not in the valid range. The range of valid ports is 30000-32767'),
      ];
    }
    return taken.has(number) ? [invalid(field, number, 'provided port is already allocated')] : [];
  });
}

/** Allocates what a Service needs and does not have: IP families, an address of each, node ports. */
export function allocate(object: JsonObject, context: WriteContext): void {
  const spec = asObject(object['spec']) ?? {};
  if (spec['type'] === 'ExternalName') return;
  const isHeadless = spec['clusterIP'] === 'None';
  const isBare = isHeadless && spec['selector'] === undefined;
  spec['ipFamilyPolicy'] ??= isBare ? 'RequireDualStack' : 'SingleStack';
  spec['ipFamilies'] = [...familiesOf(spec, isBare, context)];
  if (isHeadless) spec['clusterIPs'] = ['None'];
  else giveAddresses(spec, context);
  const wantsNodePorts =
    spec['type'] === 'NodePort' || (spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
  if (wantsNodePorts) for (const port of asObjects(spec['ports'])) port['nodePort'] ??= freeNodePort(context);
}

/**
 * A cluster with one IP family keeps the requested families. A dual-stack cluster completes the list if the policy asks
 * for both families.
 */
function familiesOf(spec: JsonObject, isBare: boolean, { ipFamilies }: WriteContext): readonly string[] {
  const [primary, secondary] = ipFamilies;
  const asked = asArray(spec['ipFamilies']).map(String);
  if (isBare && asked.length === 0) return [primary, primary === 'IPv4' ? 'IPv6' : 'IPv4'];
  if (secondary === undefined) return asked.length > 0 ? asked : [primary];
  const all = [...new Set([...asked, ...ipFamilies])];
  return spec['ipFamilyPolicy'] === 'SingleStack' ? all.slice(0, 1) : all;
}

/** Gives a Service its cluster IPs. The first is also `clusterIP`, the older field. Existing addresses are kept. */
function giveAddresses(spec: JsonObject, context: WriteContext): void {
  const asked = asArray(spec['ipFamilies']);
  const known = context.ipFamilies.filter((family) => asked.includes(family));
  const [first = context.ipFamilies[0], ...more] = known.toSorted((a, b) => asked.indexOf(a) - asked.indexOf(b));
  const clusterIp = asString(spec['clusterIP']) || freeAddress(context, first);
  const before = asArray(spec['clusterIPs']).map(String);
  const kept = before[0] === clusterIp ? before : [];
  spec['clusterIP'] = clusterIp;
  spec['clusterIPs'] = [
    clusterIp,
    ...more.map((family) => kept.slice(1).find((each) => familyOf(each) === family) ?? freeAddress(context, family)),
  ];
}

function addressesOf(spec: JsonObject): readonly string[] {
  const all = [spec['clusterIP'], ...asArray(spec['clusterIPs'])].map((address) => asString(address) ?? '');
  return [...new Set(all)].filter((address) => address !== '' && address !== 'None');
}

function services(context: WriteContext): readonly JsonObject[] {
  return context.store.list('services').map(({ object }) => asObject(object['spec']) ?? {});
}

/** A free address of the family's range. The first address of the range belongs to the API server. */
function freeAddress(context: WriteContext, family: IpFamily): string {
  const used = new Set(services(context).flatMap(addressesOf));
  for (;;) {
    const number = 2 + Math.floor(context.random.next() * (65_534 - 2));
    const address = serviceAddress(number, family);
    if (!used.has(address)) return address;
  }
}

function freeNodePort(context: WriteContext): number {
  const used = new Set(services(context).flatMap((spec) => asObjects(spec['ports']).map((port) => port['nodePort'])));
  for (;;) {
    const port = 30_000 + Math.floor(context.random.next() * 2768);
    if (!used.has(port)) return port;
  }
}
