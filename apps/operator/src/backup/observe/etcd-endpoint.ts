// SPDX-License-Identifier: Apache-2.0
import { rootCertificates } from 'node:tls';
import type { TlsMaterial } from '@etcd-operator/etcd';

/** One of `spec.etcdEndpoints`, or a member of the EtcdCluster of `spec.clusterRef`. */
export interface EtcdEndpoint {
  /** As it was written, or `pod/<name>`. */
  readonly text: string;
  readonly host: string;
  readonly port: number;
  /** Undefined where no scheme was written: then TLS is spoken if there are certificates for it. */
  readonly tls: boolean | undefined;
  /** The name that its certificate must carry. @default the host */
  readonly serverName?: string;
  /** Who must answer there. @default anybody */
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

/** A port that is the scheme's own is dropped by the parser; one that is not there is etcd's. */
function defaultPort(text: string, scheme: string | undefined): number {
  if (/:0*80\/?$/.test(text) && scheme !== 'https') return 80;
  return /:0*443\/?$/.test(text) && scheme === 'https' ? 443 : 2379;
}

/** The certificates for an endpoint: those of the Secret, or for https without one, those that machines trust. */
export function materialFor({ tls }: EtcdEndpoint, given: TlsMaterial | undefined): TlsMaterial | undefined {
  if (tls === false) return undefined;
  if (tls === true) return given ?? usual;
  return given;
}

const usual: TlsMaterial = { ca: rootCertificates.join('\n') };
