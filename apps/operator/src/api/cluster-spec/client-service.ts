// SPDX-License-Identifier: Apache-2.0
import { cel, enumeration, list, map, object, optional, string } from '@operator-parts/crd';
import { most } from '../bounds.ts';

/**
 * Fields of the client Service. Exposing etcd outside the cluster requires TLS; that rule is in the schema of the whole spec, because it
 * needs other fields too.
 */
export const clientServiceFields = object(
  {
    annotations: optional(map(string({ maxLength: most.value }), { maxProperties: most.entries })),
    type: optional(
      enumeration(['ClusterIP', 'NodePort', 'LoadBalancer'], {
        description:
          'Type of the client Service. Default ClusterIP. NodePort and LoadBalancer open etcd to clients outside the Kubernetes cluster, and need TLS for clients.',
      }),
    ),
    loadBalancerClass: optional(
      string({
        description:
          'Load balancer implementation that serves the Service. It cannot be changed while the type is LoadBalancer.',
        maxLength: most.name,
        minLength: 1,
      }),
    ),
    loadBalancerSourceRanges: optional(
      list(string({ pattern: '^[0-9A-Fa-f.:]+/[0-9]{1,3}$', maxLength: 49 }), {
        description: 'Networks that the load balancer accepts clients from, such as 10.0.0.0/8. Default: all.',
        maxItems: 64,
      }),
    ),
    ipFamilyPolicy: optional(
      enumeration(['SingleStack', 'PreferDualStack', 'RequireDualStack'], {
        description: 'Whether the Service has addresses of one IP family or of both. Default: as Kubernetes decides.',
      }),
    ),
    ipFamilies: optional(
      list(enumeration(['IPv4', 'IPv6']), {
        description: 'IP families of the Service, the primary family first. Default: as Kubernetes decides.',
        maxItems: 2,
        rules: [
          cel('self.size() < 2 || self[0] != self[1]', 'ipFamilies has the same family twice'),
          cel(
            'self.size() == 0 || oldSelf.size() == 0 || self[0] == oldSelf[0]',
            'the first IP family of a Service cannot be changed',
          ),
        ],
      }),
    ),
  },
  {
    description: 'The client Service.',
    rules: [
      cel(
        "(has(self.type) && self.type == 'LoadBalancer') || !(has(self.loadBalancerClass) || has(self.loadBalancerSourceRanges))",
        'loadBalancerClass and loadBalancerSourceRanges need type LoadBalancer',
      ),
      cel(
        "!has(self.ipFamilies) || self.ipFamilies.size() < 2 || (has(self.ipFamilyPolicy) && self.ipFamilyPolicy != 'SingleStack')",
        'two ipFamilies need ipFamilyPolicy PreferDualStack or RequireDualStack',
      ),
    ],
  },
);
