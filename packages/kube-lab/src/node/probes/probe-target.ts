// SPDX-License-Identifier: Apache-2.0
import type { Container, HTTPGetAction, Probe } from '@operator-parts/kube';
import type { ProbeTarget } from '../../runtime/container-runtime.ts';

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'>;

/**
 * A probe or hook resolved for one run of a container: port names become numbers, the default host is the pod's
 * address.
 */
export function probeTarget(
  handler: Handler,
  container: Container,
  runId: string,
  podIp: string,
): ProbeTarget | undefined {
  if (handler.exec) return { kind: 'exec', container: runId, argv: handler.exec.command ?? [] };
  if (handler.tcpSocket) {
    const port = portNumber(handler.tcpSocket.port, container);
    return port === undefined ? undefined : { kind: 'tcp', host: handler.tcpSocket.host ?? podIp, port };
  }
  if (handler.grpc) {
    return { kind: 'grpc', host: podIp, port: handler.grpc.port, service: handler.grpc.service ?? '' };
  }
  return handler.httpGet && httpTarget(handler.httpGet, container, podIp);
}

function httpTarget(http: HTTPGetAction, container: Container, podIp: string): ProbeTarget | undefined {
  const port = portNumber(http.port, container);
  if (port === undefined) return undefined;
  const path = http.path ?? '/';
  return {
    kind: 'http',
    scheme: http.scheme?.toLowerCase() === 'https' ? 'https' : 'http',
    host: http.host || podIp,
    port,
    path: path.startsWith('/') ? path : `/${path}`,
    headers: http.httpHeaders ?? [],
  };
}

function portNumber(port: number | string, container: Container): number | undefined {
  if (typeof port === 'number') return port;
  if (/^[0-9]+$/.test(port)) return Number(port);
  return container.ports?.find(({ name }) => name === port)?.containerPort;
}
