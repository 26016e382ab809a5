// SPDX-License-Identifier: Apache-2.0
import type { Secret } from '@operator-parts/kube';
import { kubernetesKeys, ownKeys, type TlsKeyStyle, type TlsRole } from '../objects/tls-volumes.ts';

/** Certificate, key and CA of one role, in PEM. */
export interface TlsFiles {
  readonly style: TlsKeyStyle;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/**
 * Finds certificate, key and CA in a Secret, under the names of CoreOS or of Kubernetes. If there are none, returns the names that are
 * missing.
 */
export function readTlsSecret(secret: Secret, role: TlsRole): TlsFiles | { readonly missing: readonly string[] } {
  const own = pick(secret, ownKeys[role]);
  if ('cert' in own) return { style: 'own', ...own };
  const kubernetes = pick(secret, kubernetesKeys);
  if ('cert' in kubernetes) return { style: 'kubernetes', ...kubernetes };
  return own.missing.length <= kubernetes.missing.length ? own : kubernetes;
}

function pick({ data = {} }: Secret, names: { readonly cert: string; readonly key: string; readonly ca: string }) {
  const missing = Object.values(names).filter((name) => !data[name]);
  if (missing.length > 0) return { missing };
  const read = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  return { cert: read(names.cert), key: read(names.key), ca: read(names.ca) };
}
