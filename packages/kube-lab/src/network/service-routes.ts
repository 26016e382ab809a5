// SPDX-License-Identifier: Apache-2.0
import { type EndpointSlice, endpointSlices, keyOf, keyString, type Service, services } from '@etcd-operator/kube';
import type { SharedCaches } from '../controllers/shared-caches.ts';
import type { ServiceRoute } from '../runtime/agent-calls.ts';
import { familyOf, type IpFamily } from './addresses.ts';

/**
 * Where connections to a service's cluster IP of one family go: to its ready endpoints of that family, or, if all of them are ending,
 * to those.
 */
export function serviceRoute(
  service: Service,
  slices: readonly EndpointSlice[],
  family: IpFamily,
): ServiceRoute | undefined {
  const { clusterIP, clusterIPs = [] } = service.spec ?? {};
  if (!clusterIP || clusterIP === 'None') return undefined;
  const address = [clusterIP, ...clusterIPs].find((each) => familyOf(each) === family);
  if (!address) return undefined;
  const own = slices.filter(({ addressType }) => addressType === family);
  const ports = (service.spec?.ports ?? [])
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ port, name = '' }) => ({ port, targets: targetsOf(own, name) }));
  return { address, ports };
}

function targetsOf(slices: readonly EndpointSlice[], portName: string): readonly { host: string; port: number }[] {
  const all = slices.flatMap((slice) => {
    const port = slice.ports?.find(({ name = '' }) => name === portName)?.port;
    if (port === undefined) return [];
    return (slice.endpoints ?? []).map(({ addresses, conditions }) => ({ host: addresses[0] ?? '', port, conditions }));
  });
  const ready = all.filter(({ conditions }) => conditions?.ready !== false);
  const ending = all.filter(({ conditions }) => conditions?.terminating && conditions.serving !== false);
  return (ready.length > 0 ? ready : ending).map(({ host, port }) => ({ host, port }));
}

/** Keeps the lab's routes in step with Services and EndpointSlices. Returns the way to stop it. */
export function publishRoutes(
  caches: SharedCaches,
  put: (owner: string, route: ServiceRoute | undefined) => void,
  /** Services that the lab serves by other means. */
  isSpecial: (service: Service) => boolean,
): () => void {
  const serviceCache = caches.of(services);
  const sliceCache = caches.of(endpointSlices);
  const last = new Map<string, string>();
  const publish = (namespace: string, name: string) => {
    const service = serviceCache.get(namespace, name);
    if (service && isSpecial(service)) return;
    const own = sliceCache.inNamespace(namespace).filter((slice) => serviceName(slice) === name);
    for (const family of ['IPv4', 'IPv6'] as const) {
      const route = service && serviceRoute(service, own, family);
      const key = `${keyString({ namespace, name })} ${family}`;
      const text = JSON.stringify(route ?? null);
      if ((last.get(key) ?? 'null') === text) continue;
      last.set(key, text);
      put(`Service ${key}`, route);
    }
  };
  const leave = [
    serviceCache.subscribe(({ object }) => {
      const { namespace = '', name } = keyOf(object);
      publish(namespace, name);
    }),
    sliceCache.subscribe(({ object }) => publish(object.metadata?.namespace ?? '', serviceName(object))),
  ];
  return () => {
    for (const each of leave) each();
  };
}

function serviceName(slice: EndpointSlice): string {
  return slice.metadata?.labels?.['kubernetes.io/service-name'] ?? '';
}
