// SPDX-License-Identifier: Apache-2.0
import type { Volume } from '@operator-parts/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';

/** The roles that a Secret with certificates can have. */
export type TlsRole = 'peer' | 'server' | 'client';

/** `own`: keys named as CoreOS names them. `kubernetes`: `tls.crt`, `tls.key` and `ca.crt` of type kubernetes.io/tls. */
export type TlsKeyStyle = 'own' | 'kubernetes';

export type TlsKeyStyles = Readonly<Record<TlsRole, TlsKeyStyle>>;

/** The names of certificate, key and CA in a Secret of style `own`; the files in the pod have the same names. */
export const ownKeys: Readonly<Record<TlsRole, { readonly cert: string; readonly key: string; readonly ca: string }>> =
  {
    peer: { cert: 'peer.crt', key: 'peer.key', ca: 'peer-ca.crt' },
    server: { cert: 'server.crt', key: 'server.key', ca: 'server-ca.crt' },
    client: { cert: 'etcd-client.crt', key: 'etcd-client.key', ca: 'etcd-client-ca.crt' },
  };

export const kubernetesKeys = { cert: 'tls.crt', key: 'tls.key', ca: 'ca.crt' } as const;

/** The Secrets that a member needs, mounted under CoreOS's file names for both key styles. */
export function tlsVolumes(spec: Pick<EtcdClusterSpec, 'TLS'>, styles: TlsKeyStyles): readonly Volume[] {
  const { member } = spec.TLS?.static ?? {};
  const volumes: Volume[] = [];
  if (member?.peerSecret) volumes.push(secretVolume('member-peer-tls', member.peerSecret, 'peer', styles.peer));
  if (member?.serverSecret)
    volumes.push(secretVolume('member-server-tls', member.serverSecret, 'server', styles.server));
  return volumes;
}

function secretVolume(name: string, secretName: string, role: TlsRole, style: TlsKeyStyle): Volume {
  if (style === 'own') return { name, secret: { secretName } };
  const files = ownKeys[role];
  const items = (['cert', 'key', 'ca'] as const).map((part) => ({ key: kubernetesKeys[part], path: files[part] }));
  return { name, secret: { secretName, items } };
}
