// SPDX-License-Identifier: Apache-2.0
import type { Service } from '@operator-parts/kube';
import { urlHost } from '../../network/addresses.ts';
import type { ConfigSource } from './config-source.ts';

/**
 * The environment variables with the addresses of Services: always those of the API server. With service links, also
 * those of the other Services of the namespace that have a cluster IP.
 */
export function serviceEnvironment(
  config: ConfigSource,
  namespace: string,
  withLinks: boolean,
): Readonly<Record<string, string>> {
  const master = config.services('default').filter((service) => service.metadata?.name === 'kubernetes');
  const own = withLinks ? config.services(namespace) : [];
  const reachable = [...master, ...own].filter(({ spec }) => spec?.clusterIP && spec.clusterIP !== 'None');
  return Object.fromEntries(reachable.flatMap(variablesOf));
}

function variablesOf(service: Service): readonly (readonly [string, string])[] {
  const prefix = upper(service.metadata?.name ?? '');
  const host = service.spec?.clusterIP ?? '';
  const ports = service.spec?.ports ?? [];
  const [first] = ports;
  if (!first) return [];
  const url = (port: number, protocol: string) => `${protocol.toLowerCase()}://${urlHost(host)}:${port}`;
  const perPort = ports.flatMap(({ name, port, protocol = 'TCP' }) => {
    const stem = `${prefix}_PORT_${port}_${protocol}`;
    return [
      ...(name ? [[`${prefix}_SERVICE_PORT_${upper(name)}`, String(port)] as const] : []),
      [stem, url(port, protocol)],
      [`${stem}_PROTO`, protocol.toLowerCase()],
      [`${stem}_PORT`, String(port)],
      [`${stem}_ADDR`, host],
    ] as const;
  });
  return [
    [`${prefix}_SERVICE_HOST`, host],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    [`${prefix}_PORT`, url(first.port, first.protocol ?? 'TCP')],
    ...perPort,
  ];
}

function upper(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
