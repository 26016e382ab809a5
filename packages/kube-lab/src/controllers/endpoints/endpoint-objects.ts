// SPDX-License-Identifier: Apache-2.0
import type { EndpointSlice, Endpoints, ObjectReference, Pod, Service } from '@operator-parts/kube';
import type { IpFamily } from '../../network/addresses.ts';
import type { EndpointPort, ServiceEndpoint } from './service-endpoints.ts';

type Subset = NonNullable<Endpoints['subsets']>[number];
type Address = NonNullable<Subset['addresses']>[number];

/** The author of a slice, named in a label. Other controllers do not change the slice. */
export const sliceManager = 'endpointslice-controller.k8s.io';

/** The Endpoints object of a service. One subset for each set of ports. */
export function endpointsObject(service: Service, endpoints: readonly ServiceEndpoint[]): Endpoints {
  const { name, namespace, labels } = service.metadata ?? {};
  const isHeadless = service.spec?.clusterIP === 'None';
  const listed = endpoints.filter((each) => !each.terminating || service.spec?.publishNotReadyAddresses === true);
  const subsets = byPorts(listed).map(([ports, group]): Subset => {
    const addresses = group.filter((each) => each.ready).map(addressOf);
    const notReadyAddresses = group.filter((each) => !each.ready).map(addressOf);
    return {
      ...(addresses.length > 0 ? { addresses } : {}),
      ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
      ...(ports.length > 0 ? { ports } : {}),
    } as Subset;
  });
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      labels: {
        ...labels,
        'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
        ...(isHeadless ? { 'service.kubernetes.io/headless': '' } : {}),
      },
    },
    ...(subsets.length > 0 ? { subsets } : {}),
  };
}

/**
 * The EndpointSlices of a Service for one IP family, without names: one slice for each set of ports, at least one
 * slice.
 */
export function sliceObjects(
  service: Service,
  endpoints: readonly ServiceEndpoint[],
  family: IpFamily,
): readonly EndpointSlice[] {
  const groups = byPorts(endpoints);
  const filled = groups.length > 0 ? groups : [[[], []] as const];
  return filled.map(([ports, group]) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${service.metadata?.name}-`,
      namespace: service.metadata?.namespace ?? '',
      labels: {
        ...service.metadata?.labels,
        'kubernetes.io/service-name': service.metadata?.name ?? '',
        'endpointslice.kubernetes.io/managed-by': sliceManager,
        ...(service.spec?.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {}),
      },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: service.metadata?.name ?? '',
          uid: service.metadata?.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType: family,
    endpoints: group.map((each) => ({
      addresses: [each.address],
      conditions: { ready: each.ready, serving: each.serving, terminating: each.terminating },
      ...(each.hostname ? { hostname: each.hostname } : {}),
      ...(each.pod.spec?.nodeName ? { nodeName: each.pod.spec.nodeName } : {}),
      targetRef: reference(each.pod),
    })),
    ports: ports.map((port) => ({ name: port.name ?? '', ...port })),
  }));
}

function addressOf({ address, hostname, pod }: ServiceEndpoint): Address {
  return {
    ip: address,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: reference(pod),
  };
}

function reference(pod: Pod): ObjectReference {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  return { kind: 'Pod', name, namespace, uid };
}

function byPorts(
  endpoints: readonly ServiceEndpoint[],
): readonly (readonly [readonly EndpointPort[], readonly ServiceEndpoint[]])[] {
  const groups = new Map<string, ServiceEndpoint[]>();
  for (const each of endpoints) {
    const key = JSON.stringify(each.ports);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].map((group) => [group[0]?.ports ?? [], group]);
}
