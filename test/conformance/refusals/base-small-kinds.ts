// SPDX-License-Identifier: Apache-2.0
import { claimSpec, inNamespace, onCluster, selector } from './base-parts.ts';
import type { BaseObject } from './refused.ts';

/** Valid objects of Services, volumes, roles, budgets and other small kinds. */
export const baseSmallKinds = {
  service: (ns) =>
    inNamespace(ns, 'v1/services', 'Service', {
      spec: {
        type: 'ClusterIP',
        clusterIP: 'None',
        ports: [
          { name: 'a', port: 80, targetPort: 'web', protocol: 'TCP', appProtocol: 'http' },
          { name: 'b', port: 81, targetPort: 8081 },
        ],
        selector: { a: 'b' },
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
        publishNotReadyAddresses: true,
        ipFamilyPolicy: 'SingleStack',
        ipFamilies: ['IPv4'],
        internalTrafficPolicy: 'Local',
        externalIPs: ['10.1.1.1'],
      },
    }),
  endpointslice: (ns) =>
    inNamespace(ns, 'discovery.k8s.io/v1/endpointslices', 'EndpointSlice', {
      addressType: 'IPv4',
      ports: [{ name: 'a', port: 80, protocol: 'TCP', appProtocol: 'http' }],
      endpoints: [
        {
          addresses: ['10.1.1.1'],
          conditions: { ready: true, serving: true },
          hostname: 'h',
          nodeName: 'n',
          targetRef: { kind: 'Pod', name: 'p' },
        },
      ],
    }),
  pvc: (ns) => inNamespace(ns, 'v1/persistentvolumeclaims', 'PersistentVolumeClaim', { spec: claimSpec }),
  pv: (ns) =>
    onCluster('v1/persistentvolumes', 'PersistentVolume', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/x' },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'sc',
        claimRef: { namespace: ns, name: 'c' },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }] },
        },
      },
    }),
  storageclass: () =>
    onCluster('storage.k8s.io/v1/storageclasses', 'StorageClass', {
      provisioner: 'example.com/p',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      mountOptions: ['ro'],
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }],
    }),
  role: (ns) =>
    inNamespace(ns, 'rbac.authorization.k8s.io/v1/roles', 'Role', {
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: ['x'] }],
    }),
  clusterrole: () =>
    onCluster('rbac.authorization.k8s.io/v1/clusterroles', 'ClusterRole', {
      rules: [
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: ['x'] },
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ],
      aggregationRule: { clusterRoleSelectors: [selector] },
    }),
  rolebinding: (ns) =>
    inNamespace(ns, 'rbac.authorization.k8s.io/v1/rolebindings', 'RoleBinding', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'ServiceAccount', name: 'sa', namespace: ns },
        { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
      ],
    }),
  pdb: (ns) =>
    inNamespace(ns, 'policy/v1/poddisruptionbudgets', 'PodDisruptionBudget', {
      spec: { maxUnavailable: '50%', selector: selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    }),
  configmap: (ns) =>
    inNamespace(ns, 'v1/configmaps', 'ConfigMap', {
      data: { a: 'b' },
      binaryData: { c: 'AAA=' },
      immutable: false,
    }),
  node: () =>
    onCluster('v1/nodes', 'Node', {
      spec: {
        podCIDR: '10.1.0.0/24',
        podCIDRs: ['10.1.0.0/24'],
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
        unschedulable: true,
      },
    }),
  webhook: (ns) =>
    onCluster('admissionregistration.k8s.io/v1/validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { service: { namespace: ns, name: 's', path: '/p', port: 443 }, caBundle: '' },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'], scope: 'Namespaced' },
          ],
          failurePolicy: 'Ignore',
          matchPolicy: 'Exact',
          namespaceSelector: selector,
          objectSelector: {},
          sideEffects: 'None',
          timeoutSeconds: 5,
          admissionReviewVersions: ['v1'],
          matchConditions: [{ name: 'x', expression: 'true' }],
        },
      ],
    }),
  event2: (ns) => ({
    path: `/apis/events.k8s.io/v1/namespaces/${ns}/events`,
    kind: 'Event',
    object: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'obj' },
      regarding: { kind: 'Pod', namespace: ns, name: 'p' },
      related: { kind: 'Node', name: 'n' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      note: 'n',
      type: 'Warning',
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    },
  }),
} satisfies Record<string, BaseObject>;
