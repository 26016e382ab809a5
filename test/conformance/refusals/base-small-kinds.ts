// SPDX-License-Identifier: Apache-2.0
import { claimSpec, metadata, selector } from './base-parts.ts';
import type { BaseObject } from './refused.ts';

/** Valid objects of Services, volumes, roles, budgets and other small kinds. */
export const baseSmallKinds = {
  service: (ns) => ({
    path: `/api/v1/namespaces/${ns}/services`,
    kind: 'Service',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata,
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
    },
  }),
  endpointslice: (ns) => ({
    path: `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`,
    kind: 'EndpointSlice.discovery.k8s.io',
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: metadata,
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
    },
  }),
  pvc: (ns) => ({
    path: `/api/v1/namespaces/${ns}/persistentvolumeclaims`,
    kind: 'PersistentVolumeClaim',
    object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: metadata, spec: claimSpec },
  }),
  pv: (ns) => ({
    path: '/api/v1/persistentvolumes',
    kind: 'PersistentVolume',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: metadata,
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
    },
  }),
  storageclass: () => ({
    path: '/apis/storage.k8s.io/v1/storageclasses',
    kind: 'StorageClass.storage.k8s.io',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: metadata,
      provisioner: 'example.com/p',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      mountOptions: ['ro'],
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }],
    },
  }),
  role: (ns) => ({
    path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles`,
    kind: 'Role.rbac.authorization.k8s.io',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: metadata,
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: ['x'] }],
    },
  }),
  clusterrole: () => ({
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    kind: 'ClusterRole.rbac.authorization.k8s.io',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: metadata,
      rules: [
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: ['x'] },
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ],
      aggregationRule: { clusterRoleSelectors: [selector] },
    },
  }),
  rolebinding: (ns) => ({
    path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/rolebindings`,
    kind: 'RoleBinding.rbac.authorization.k8s.io',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'ServiceAccount', name: 'sa', namespace: ns },
        { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
      ],
    },
  }),
  pdb: (ns) => ({
    path: `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`,
    kind: 'PodDisruptionBudget.policy',
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadata,
      spec: { maxUnavailable: '50%', selector: selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    },
  }),
  configmap: (ns) => ({
    path: `/api/v1/namespaces/${ns}/configmaps`,
    kind: 'ConfigMap',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata,
      data: { a: 'b' },
      binaryData: { c: 'AAA=' },
      immutable: false,
    },
  }),
  node: () => ({
    path: '/api/v1/nodes',
    kind: 'Node',
    object: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: metadata,
      spec: {
        podCIDR: '10.1.0.0/24',
        podCIDRs: ['10.1.0.0/24'],
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
        unschedulable: true,
      },
    },
  }),
  webhook: (ns) => ({
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: metadata,
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
    },
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
