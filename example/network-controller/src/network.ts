// SPDX-License-Identifier: Apache-2.0
import { cel, defineKind, type KindOf, object, string } from '@operator-parts/crd';

/**
 * What users write. Everything else follows from this one declaration: the TypeScript type, the CRD in
 * crd/network.yaml, the API server's validation, and the client, informer and lister, which use `networks.resource`.
 */
export const networks = defineKind({
  group: 'samplecrd.k8s.io',
  version: 'v1',
  kind: 'Network',
  plural: 'networks',
  scope: 'Namespaced',
  description: 'A network of the network service.',
  // Groups below k8s.io belong to the Kubernetes community and need an approval annotation. Your own group needs no
  // such line.
  annotations: { 'api-approved.kubernetes.io': 'unapproved, experimental-only' },
  spec: object(
    {
      cidr: string({
        description: 'The range of addresses, such as 192.168.0.0/16.',
        maxLength: 49,
        rules: [cel('isCIDR(self)', 'must be a range of addresses, such as 192.168.0.0/16')],
      }),
      gateway: string({
        description: 'The way out: an address within the range.',
        maxLength: 45,
        rules: [cel('isIP(self)', 'must be an IP address, such as 192.168.0.1')],
      }),
    },
    {
      rules: [
        cel(
          '!isCIDR(self.cidr) || !isIP(self.gateway) || cidr(self.cidr).containsIP(self.gateway)',
          'the gateway must be an address of the network',
          {
            fieldPath: '.gateway',
            messageExpression: "'the gateway ' + self.gateway + ' is not an address of the network ' + self.cidr",
          },
        ),
      ],
    },
  ),
  columns: [
    { name: 'CIDR', path: '.spec.cidr' },
    { name: 'Gateway', path: '.spec.gateway' },
    { name: 'Age', path: '.metadata.creationTimestamp' },
  ],
});

export type Network = KindOf<typeof networks>;
