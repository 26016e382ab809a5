// SPDX-License-Identifier: Apache-2.0
import { qualifiedNameRule } from '../messages.ts';
import type { Refused } from './refused.ts';

/** Invalid roles, budgets, nodes, webhooks and Events. */
export const refusedSmallKinds: readonly Refused[] = [
  {
    says: 'a rule is for groups',
    of: 'role',
    change: { 'rules.0.apiGroups': [] },
    error: 'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
  },
  {
    says: 'a rule is for resources',
    of: 'role',
    change: { 'rules.0.resources': [] },
    error: 'rules[0].resources: Required value: resource rules must supply at least one resource',
  },
  {
    says: 'a rule for paths is not for resources',
    of: 'clusterrole',
    change: { 'rules.1.resources': ['x'] },
    error:
      'rules[1].nonResourceURLs: Invalid value: ["/metrics"]: rules cannot apply to both regular resources and non-resource URLs',
  },
  {
    says: 'an aggregation selects',
    of: 'clusterrole',
    change: { 'aggregationRule.clusterRoleSelectors': [] },
    error:
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
  },
  {
    says: 'a binding is to a role',
    of: 'rolebinding',
    change: { 'roleRef.kind': 'Nope' },
    error: 'roleRef.kind: Unsupported value: "Nope": supported values: "Role", "ClusterRole"',
  },
  {
    says: 'a binding is to a role of the right group',
    of: 'rolebinding',
    change: { 'roleRef.apiGroup': 'apps' },
    error: 'roleRef.apiGroup: Unsupported value: "apps": supported values: "rbac.authorization.k8s.io"',
  },
  {
    says: 'a subject is of a known kind',
    of: 'rolebinding',
    change: { 'subjects.0.kind': 'Nope' },
    error: 'subjects[0].kind: Unsupported value: "Nope": supported values: "ServiceAccount", "User", "Group"',
  },
  {
    says: 'a budget is a number or a percentage',
    of: 'pdb',
    change: { 'spec.maxUnavailable': 'some' },
    error:
      "spec.maxUnavailable: Invalid value: \"some\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  },
  {
    says: 'a budget is not a wild percentage',
    of: 'pdb',
    change: { 'spec.maxUnavailable': '200%' },
    error: 'spec.maxUnavailable: Invalid value: "200%": must not be greater than 100%',
  },
  {
    says: 'the selector of a budget has known operators',
    of: 'pdb',
    change: { 'spec.selector.matchExpressions.0.operator': 'Nope' },
    error: 'spec.selector.matchExpressions[0].operator: Invalid value: "Nope": not a valid selector operator',
  },
  {
    says: 'a finalizer is a qualified name',
    of: 'configmap',
    change: { 'metadata.finalizers.0': 'a b' },
    error: [
      `metadata.finalizers: Invalid value: "a b": name part ${qualifiedNameRule}`,
      'metadata.finalizers[0]: Invalid value: "a b": name is neither a standard finalizer name nor is it fully qualified',
    ],
  },
  {
    says: 'the version of an owner is one',
    of: 'configmap',
    change: { 'metadata.ownerReferences.0.apiVersion': 'a/b/c' },
    error: 'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
  },
  {
    says: 'a taint has a known effect',
    of: 'node',
    change: { 'spec.taints.0.effect': 'Nope' },
    error:
      'metadata.taints[0].effect: Unsupported value: "Nope": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  },
  {
    says: 'a taint has a key',
    of: 'node',
    change: { 'spec.taints.0.key': '' },
    error: [
      'metadata.taints[0].key: Invalid value: "": name part must be non-empty',
      `metadata.taints[0].key: Invalid value: "": name part ${qualifiedNameRule}`,
    ],
  },
  {
    says: 'a webhook selects with known operators',
    of: 'webhook',
    change: { 'webhooks.0.namespaceSelector.matchExpressions.0.operator': 'Nope' },
    error:
      'webhooks[0].namespaceSelector.matchExpressions[0].operator: Invalid value: "Nope": not a valid selector operator',
  },
  {
    says: 'a webhook has a known scope',
    of: 'webhook',
    change: { 'webhooks.0.rules.0.scope': 'Nope' },
    error: 'webhooks[0].rules[0].scope: Unsupported value: "Nope": supported values: "*", "Cluster", "Namespaced"',
  },
  {
    says: 'a webhook fails in a known way',
    of: 'webhook',
    change: { 'webhooks.0.failurePolicy': 'Nope' },
    error: 'webhooks[0].failurePolicy: Unsupported value: "Nope": supported values: "Fail", "Ignore"',
  },
  {
    says: 'a webhook has a limited time',
    of: 'webhook',
    change: { 'webhooks.0.timeoutSeconds': 31 },
    error: 'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
  },
  {
    says: 'a new Event has a reporter',
    of: 'event2',
    change: { reportingController: '' },
    error: [
      'reportingController: Required value',
      'reportingController: Invalid value: "": name part must be non-empty',
      `reportingController: Invalid value: "": name part ${qualifiedNameRule}`,
    ],
  },
  {
    says: 'a new Event has an action',
    of: 'event2',
    change: { action: '' },
    error: 'action: Required value',
  },
];
