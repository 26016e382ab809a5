// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import { asObjects, asString, getIn, type JsonObject } from '../../json/json.ts';
import { storageKey } from '../../registry/served-resource.ts';
import { ApiError, badRequest, notFound } from '../../server/api-error.ts';
import type { Call } from '../../server/core.ts';
import type { StoredObject } from '../../storage/stored-object.ts';

/** The target of a proxied request. */
export interface ProxyTarget {
  readonly secure: boolean;
  readonly address: string;
  readonly port: number;
}

/** The name in a proxy request: `name`, `name:port` or `scheme:name:port`. */
interface ProxyName {
  readonly secure: boolean;
  readonly name: string;
  readonly port: string;
}

function readName(call: Call, what: string): ProxyName {
  const parts = call.info.name.split(':');
  const [first = '', second = '', third = ''] = parts;
  const [scheme, name, port] = parts.length === 3 ? [first, second, third] : ['', first, second];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw badRequest(`invalid ${what} request ${JSON.stringify(call.info.name)}`);
  }
  return { secure: scheme === 'https', name, port };
}

/** Finds the target; refuses with the real server's messages. */
export function proxyTarget(call: Call): ProxyTarget {
  switch (call.resource.collection) {
    case 'pods':
      return podTarget(call);
    case 'services':
      return serviceTarget(call);
    default:
      return nodeTarget(call);
  }
}

function stored({ core, info, resource }: Call, name: string): JsonObject {
  const found: StoredObject | undefined = core.store.get(
    resource.collection,
    storageKey(resource, info.namespace, name),
  );
  if (!found) throw notFound(resource, name);
  return found.object;
}

function podTarget(call: Call): ProxyTarget {
  const { secure, name, port } = readName(call, 'pod');
  const pod = stored(call, name);
  const declared = asObjects(getIn(pod, 'spec', 'containers')).flatMap(({ ports }) => asObjects(ports));
  const address = asString(getIn(pod, 'status', 'podIP')) ?? '';
  if (isIP(address) === 0 || address.startsWith('127.')) throw badRequest('address not allowed');
  return { secure, address, port: Number(port || declared[0]?.['containerPort'] || (secure ? 443 : 80)) };
}

function serviceTarget(call: Call): ProxyTarget {
  const { secure, name, port } = readName(call, 'service');
  const service = stored(call, name);
  const wanted = portName(service, name, port);
  const endpoints = call.core.store.get('endpoints', storageKey(call.resource, call.info.namespace, name));
  if (!endpoints) throw notFound(call.resource, name);
  const places = asObjects(endpoints.object['subsets']).flatMap((subset) => {
    const own = asObjects(subset['ports']).find((one) => (asString(one['name']) ?? '') === wanted);
    return own
      ? asObjects(subset['addresses']).map(({ ip }) => ({ address: String(ip), port: Number(own['port']) }))
      : [];
  });
  const [chosen] = places;
  if (!chosen) throw unavailable(`no endpoints available for service ${JSON.stringify(call.info.name)}`);
  return { secure, ...(places[Math.floor(call.random.next() * places.length)] ?? chosen) };
}

/** The name of a Service's port, by which endpoints identify it. Empty for a single port without a name. */
function portName(service: JsonObject, name: string, port: string): string {
  const ports = asObjects(getIn(service, 'spec', 'ports'));
  if (!/^\d+$/.test(port)) return port;
  const found = ports.find((one) => one['port'] === Number(port));
  if (!found) throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return asString(found['name']) ?? '';
}

function nodeTarget(call: Call): never {
  stored(call, readName(call, 'node').name);
  throw unavailable('nodes of this lab have no ports; use logs, exec and port-forward of their pods');
}

/** 503: there is no endpoint. */
export function unavailable(message: string): ApiError {
  return new ApiError(503, 'ServiceUnavailable', message);
}
