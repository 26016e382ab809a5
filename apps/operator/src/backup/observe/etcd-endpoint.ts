// SPDX-License-Identifier: Apache-2.0
import { rootCertificates } from 'node:tls';
import type { TlsMaterial } from '@operator-parts/etcd';

/** One of `spec.etcdEndpoints`, or a member of the EtcdCluster of `spec.clusterRef`. */
export interface EtcdEndpoint {
  /** As the spec has it, or `pod/<name>`. */
  readonly text: string;
  readonly host: string;
  readonly port: number;
  /** Undefined without a scheme: TLS is then used if there are certificates. */
  readonly tls: boolean | undefined;
  /** The name that the server certificate must contain. @default the host */
  readonly serverName?: string;
  /** The cluster and member that must answer. @default any */
  readonly expected?: { readonly clusterId: string; readonly memberId?: string };
}

/** Reads a URL (http or https) or `host:port`; undefined for anything else. */
export function parseEndpoint(text: string): EtcdEndpoint | undefined {
  const scheme = /^([a-z]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return undefined;
  const address = scheme === undefined ? `http://${text}` : text;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const isBare = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isBare || url.pathname !== '/' || url.hostname === '') return undefined;
  const port = url.port === '' ? defaultPort(text, scheme) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { text, host, port, tls: scheme === undefined ? undefined : scheme === 'https' };
}

/** The URL parser drops the default port of a scheme, so that port is read from the text. A missing port means etcd's port. */
function defaultPort(text: string, scheme: string | undefined): number {
  if (/:0*80\/?$/.test(text) && scheme !== 'https') return 80;
  return /:0*443\/?$/.test(text) && scheme === 'https' ? 443 : 2379;
}

/** The certificates for an endpoint: those of the Secret; for https without a Secret, the CA certificates that Node.js trusts. */
export function materialFor({ tls }: EtcdEndpoint, given: TlsMaterial | undefined): TlsMaterial | undefined {
  if (tls === false) return undefined;
  if (tls === true) return given ?? usual;
  return given;
}

const usual: TlsMaterial = { ca: rootCertificates.join('\n') };
