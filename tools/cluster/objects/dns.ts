// SPDX-License-Identifier: Apache-2.0
import { addresses } from '../layout.ts';

/** The configuration of CoreDNS as in kubeadm, but without forwarding, because there are no other servers. */
const corefile = `.:53 {
    errors
    health {
        lameduck 0s
    }
    ready
    kubernetes ${addresses.domain} in-addr.arpa ip6.arpa {
        pods insecure
        ttl 30
    }
    cache 30 {
        disable success ${addresses.domain}
        disable denial ${addresses.domain}
    }
    reload
}
`;

const meta = (name: string) => ({ name, namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } });
const roleName = 'system:coredns';

/** The objects of the cluster's DNS. */
export function dnsManifests(image: string): readonly object[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta('coredns') },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: roleName },
      rules: [
        { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: roleName },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
      subjects: [{ kind: 'ServiceAccount', name: 'coredns', namespace: 'kube-system' }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('coredns'), data: { Corefile: corefile } },
    service(),
    daemonSet(image),
  ];
}

function service(): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta('kube-dns'),
    spec: {
      clusterIP: addresses.dns,
      selector: { 'k8s-app': 'kube-dns' },
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  };
}

/** One replica on the node, which stays when the node is drained. */
function daemonSet(image: string): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: meta('coredns'),
    spec: {
      selector: { matchLabels: { 'k8s-app': 'kube-dns' } },
      template: {
        metadata: { labels: { 'k8s-app': 'kube-dns' } },
        spec: {
          serviceAccountName: 'coredns',
          priorityClassName: 'system-cluster-critical',
          dnsPolicy: 'Default',
          terminationGracePeriodSeconds: 0,
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: 'coredns',
              image,
              command: ['/coredns', '-conf', '/etc/coredns/Corefile'],
              ports: [
                { name: 'dns', containerPort: 53, protocol: 'UDP' },
                { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
              ],
              readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
              volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
              },
            },
          ],
          volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
        },
      },
    },
  };
}
