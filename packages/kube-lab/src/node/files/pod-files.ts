// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@operator-parts/kube';
import { type Addresses, dnsAddress, familyOf } from '../../network/addresses.ts';
import type { ContainerMount } from '../../runtime/container-runtime.ts';

const clusterDomain = 'cluster.local';

/** Writes the `/etc` files that all containers of the pod see, and returns where they are mounted. */
export async function writePodFiles(
  pod: Pod,
  directory: string,
  podIps: Addresses,
): Promise<readonly ContainerMount[]> {
  const folder = join(directory, 'etc');
  await mkdir(folder, { recursive: true });
  const nameserver = dnsAddress[familyOf(podIps[0])];
  const files = {
    hosts: hostsFile(pod, podIps),
    hostname: `${podHostname(pod)}\n`,
    'resolv.conf': resolvConf(pod, nameserver),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return Object.keys(files).map((name) => ({
    source: join(folder, name),
    target: `/etc/${name}`,
    readOnly: false,
  }));
}

/** `spec.hostname`, else the pod's name; 63 characters at most. */
export function podHostname(pod: Pod): string {
  const name = pod.spec?.hostname || pod.metadata?.name || 'pod';
  if (pod.spec?.setHostnameAsFQDN && pod.spec.subdomain) return fullName(pod, name);
  return name.slice(0, 63).replace(/[-.]+$/, '');
}

function fullName(pod: Pod, name: string): string {
  return `${name}.${pod.spec?.subdomain}.${pod.metadata?.namespace}.svc.${clusterDomain}`;
}

/** The content of `/etc/hosts`: the pod's own name and the aliases of its spec. Other names are resolved by DNS. */
export function hostsFile(pod: Pod, podIps: readonly string[]): string {
  const host = podHostname(pod);
  const own = pod.spec?.subdomain ? `${fullName(pod, host)}\t${host}` : host;
  const aliases = (pod.spec?.hostAliases ?? []).map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join('\t')}\n`);
  return [
    '# Kubernetes-managed hosts file.\n',
    '127.0.0.1\tlocalhost\n',
    '::1\tlocalhost ip6-localhost ip6-loopback\n',
    'fe00::\tip6-localnet\n',
    'fe00::\tip6-mcastprefix\n',
    'fe00::1\tip6-allnodes\n',
    'fe00::2\tip6-allrouters\n',
    ...podIps.map((podIp) => `${podIp}\t${own}\n`),
    ...(aliases.length > 0 ? ['\n# Entries added by HostAliases.\n', ...aliases] : []),
  ].join('');
}

/** The content of `/etc/resolv.conf` by `dnsPolicy` and `dnsConfig`. By default it names the cluster's DNS. */
export function resolvConf(pod: Pod, nameserver: string): string {
  const namespace = pod.metadata?.namespace ?? 'default';
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {} } = pod.spec ?? {};
  const usesCluster =
    dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && pod.spec?.hostNetwork !== true);
  const search = usesCluster ? [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain] : [];
  const servers = dnsPolicy === 'None' ? [] : [nameserver];
  const options = new Map<string, string | undefined>(usesCluster ? [['ndots', '5']] : []);
  for (const { name, value } of dnsConfig.options ?? []) if (name) options.set(name, value);
  const searches = [...new Set([...search, ...(dnsConfig.searches ?? [])])];
  const nameservers = [...new Set([...servers, ...(dnsConfig.nameservers ?? [])])];
  return [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}\n`] : []),
    ...nameservers.map((server) => `nameserver ${server}\n`),
    ...(options.size > 0
      ? [`options ${[...options].map(([name, value]) => (value ? `${name}:${value}` : name)).join(' ')}\n`]
      : []),
  ].join('');
}
