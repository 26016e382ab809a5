// SPDX-License-Identifier: Apache-2.0
import { cel, enumeration, list, map, object, optional, string } from '@operator-parts/crd';
import { most } from '../bounds.ts';

/**
 * Fields of the client Service. Exposing etcd outside the cluster requires TLS; this rule is in the schema of the whole spec, because it
 * also reads the field `TLS`.
 */
export const clientServiceFields = object(
  {
    annotations: optional(map(string({ maxLength: most.value }), { maxProperties: most.entries })),
    type: optional(
      enumeration(['ClusterIP', 'NodePort', 'LoadBalancer'], {
        description:
          'Type of the client Service. Default ClusterIP. NodePort and LoadBalancer let clients outside the Kubernetes cluster connect to etcd. These two types require TLS for clients.',
      }),
    ),
    loadBalancerClass: optional(
      string({
        description:
          'Load balancer class of the client Service. The class cannot be changed while the type is LoadBalancer.',
        maxLength: most.name,
        minLength: 1,
      }),
    ),
    loadBalancerSourceRanges: optional(
      list(string({ pattern: '^[0-9A-Fa-f.:]+/[0-9]{1,3}$', maxLength: 49 }), {
        description:
          'Networks from which the load balancer accepts clients, such as 10.0.0.0/8. Default: all networks.',
        maxItems: 64,
      }),
    ),
    ipFamilyPolicy: optional(
      enumeration(['SingleStack', 'PreferDualStack', 'RequireDualStack'], {
        description:
          'Whether the client Service has addresses of one IP family or of both. Default: Kubernetes decides.',
      }),
    ),
    ipFamilies: optional(
      list(enumeration(['IPv4', 'IPv6']), {
        description: 'IP families of the client Service, the primary family first. Default: Kubernetes decides.',
        maxItems: 2,
        rules: [
          cel(
            'self.size() < 2 || self[0] != self[1]',
            'ipFamilies contains the same IP family twice; list each IP family once',
          ),
          cel(
            'self.size() == 0 || oldSelf.size() == 0 || self[0] == oldSelf[0]',
            'the first entry of ipFamilies cannot be changed, because Kubernetes does not change the primary IP family of a Service',
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
        'loadBalancerClass and loadBalancerSourceRanges can only be set if type is LoadBalancer',
      ),
      cel(
        "!has(self.ipFamilies) || self.ipFamilies.size() < 2 || (has(self.ipFamilyPolicy) && self.ipFamilyPolicy != 'SingleStack')",
        'with two ipFamilies, ipFamilyPolicy must be PreferDualStack or RequireDualStack',
      ),
    ],
  },
);
