// SPDX-License-Identifier: Apache-2.0
import { type EndpointSlice, keyString, type Service } from '@operator-parts/kube';
import type { SharedCaches } from '../controllers/shared-caches.ts';
import type { ServiceRoute } from '../runtime/agent-calls.ts';
import { familyOf, type IpFamily } from './addresses.ts';
import { followServices } from './follow-services.ts';

/**
 * The targets of a Service's cluster IP in one family: its ready endpoints. If there are none, the endpoints that are
 * terminating and still serve.
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

/** Keeps the lab's routes up to date with Services and EndpointSlices. Returns a function that stops it. */
export function publishRoutes(
  caches: SharedCaches,
  put: (owner: string, route: ServiceRoute | undefined) => void,
  /** Services that the lab implements in another way. */
  isSpecial: (service: Service) => boolean,
): () => void {
  const last = new Map<string, string>();
  return followServices(caches, ({ namespace, name, service, slices }) => {
    if (service && isSpecial(service)) return;
    for (const family of ['IPv4', 'IPv6'] as const) {
      const route = service && serviceRoute(service, slices, family);
      const key = `${keyString({ namespace, name })} ${family}`;
      const text = JSON.stringify(route ?? null);
      if ((last.get(key) ?? 'null') === text) continue;
      last.set(key, text);
      put(`Service ${key}`, route);
    }
  });
}
