// SPDX-License-Identifier: Apache-2.0
import { isIP, isIPv6 } from 'node:net';
import type { Pod, Service, ServicePort } from '@operator-parts/kube';
import { ipv6Bytes } from '../../dns/record.ts';
import { familyOf, type IpFamily } from '../../network/addresses.ts';
import { hasLabels } from '../label-match.ts';
import { hasPodEnded } from '../workloads/pod-condition.ts';

/** A pod of a Service. */
export interface ServiceEndpoint {
  readonly pod: Pod;
  readonly address: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Set if the pod has a DNS name below the Service: `spec.hostname` with the Service as `spec.subdomain`. */
  readonly hostname?: string;
  readonly ports: readonly EndpointPort[];
}

/** A port of a Service with the port number in one pod. */
export interface EndpointPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: NonNullable<ServicePort['protocol']>;
  readonly appProtocol?: string;
}

/**
 * The endpoints of a Service in one IP family, ordered by address. Ended pods and pods without an address of that
 * family are left out.
 */
export function serviceEndpoints(service: Service, pods: readonly Pod[], family: IpFamily): readonly ServiceEndpoint[] {
  const { selector } = service.spec ?? {};
  if (!selector) return [];
  return pods
    .filter((pod) => pod.metadata?.namespace === service.metadata?.namespace)
    .filter((pod) => hasLabels(selector, pod.metadata?.labels))
    .flatMap((pod) => endpointOf(service, pod, family))
    .toSorted((left, right) => compareAddresses(left.address, right.address));
}

function endpointOf(service: Service, pod: Pod, family: IpFamily): readonly ServiceEndpoint[] {
  const { podIP = '', podIPs = [] } = pod.status ?? {};
  const address = [podIP, ...podIPs.map(({ ip }) => ip)].find((each) => isIP(each) && familyOf(each) === family);
  if (!address || hasPodEnded(pod)) return [];
  const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const publishes = service.spec?.publishNotReadyAddresses === true;
  const isNamed = pod.spec?.hostname && pod.spec.subdomain === service.metadata?.name;
  return [
    {
      pod,
      address,
      ready: publishes || (isReady && !terminating),
      serving: publishes || isReady,
      terminating,
      ...(isNamed && pod.spec?.hostname ? { hostname: pod.spec.hostname } : {}),
      ports: (service.spec?.ports ?? []).flatMap((port) => endpointPort(port, pod)),
    },
  ];
}

function endpointPort(port: ServicePort, pod: Pod): readonly EndpointPort[] {
  const number = targetPort(port, pod);
  if (number === undefined) return [];
  return [
    {
      ...(port.name ? { name: port.name } : {}),
      port: number,
      protocol: port.protocol ?? 'TCP',
      ...(port.appProtocol ? { appProtocol: port.appProtocol } : {}),
    },
  ];
}

/** The port number in one pod; a name is looked up among the pod's containers. */
function targetPort({ targetPort: target, port, protocol = 'TCP' }: ServicePort, pod: Pod): number | undefined {
  if (target === undefined || target === 0) return port;
  if (typeof target === 'number') return target;
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((each) => each.name === target && (each.protocol ?? 'TCP') === protocol)?.containerPort;
}

function compareAddresses(left: string, right: string): number {
  const number = (address: string) =>
    (isIPv6(address) ? ipv6Bytes(address) : address.split('.')).reduce(
      (sum: bigint, part) => sum * 256n + BigInt(part),
      0n,
    );
  return Number(number(left) - number(right));
}
