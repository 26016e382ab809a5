// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'yaml';
import type { KeyPair } from './certificates.ts';

/** The address and credentials of a kubeconfig. */
export interface KubeconfigInput {
  readonly url: string;
  readonly caPem: string;
  readonly user: { readonly name: string } & ({ readonly keyPair: KeyPair } | { readonly token: string });
  /** @default 'default' */
  readonly namespace?: string;
}

/** The text of a kubeconfig with one cluster, one user and one context. It contains the credentials themselves. */
export function kubeconfigText({ url, caPem, user, namespace = 'default' }: KubeconfigInput): string {
  const cluster = { server: url, 'certificate-authority-data': base64(caPem) };
  const credentials =
    'token' in user
      ? { token: user.token }
      : {
          'client-certificate-data': base64(user.keyPair.certificatePem),
          'client-key-data': base64(user.keyPair.privateKeyPem),
        };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'kube-lab', cluster }],
    users: [{ name: user.name, user: credentials }],
    contexts: [{ name: 'kube-lab', context: { cluster: 'kube-lab', user: user.name, namespace } }],
    'current-context': 'kube-lab',
  });
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
