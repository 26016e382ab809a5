// SPDX-License-Identifier: Apache-2.0
import { definitionDefaults, definitionStrategy } from '../crd/definition-kind.ts';
import {
  daemonSetDefaults,
  deploymentDefaults,
  replicaSetDefaults,
  statefulSetDefaults,
} from './apps/workload-defaults.ts';
import { daemonSetStrategy, deploymentStrategy, replicaSetStrategy, statefulSetStrategy } from './apps/workloads.ts';
import { autoscalerDefaults, autoscalerStrategy } from './autoscaling/autoscaler.ts';
import { cronJobDefaults, cronJobStrategy, jobDefaults, jobStrategy } from './batch/jobs.ts';
import type { Defaults } from './builtin-codec.ts';
import { configMapStrategy, secretDefaults, secretStrategy } from './core/config.ts';
import { namespaceDefaults, namespaceStrategy } from './core/namespace.ts';
import {
  endpointsDefaults,
  endpointsStrategy,
  eventStrategy,
  newEventStrategy,
  nodeDefaults,
  nodeStrategy,
  serviceAccountStrategy,
} from './core/nodes-endpoints-events.ts';
import { podDefaults } from './core/pod-defaults.ts';
import { podStrategy } from './core/pod-strategy.ts';
import { serviceDefaults, serviceStrategy } from './core/service.ts';
import { claimDefaults, claimStrategy, volumeDefaults, volumeStrategy } from './core/storage.ts';
import { ingressClassDefaults, ingressClassStrategy, ingressStrategy } from './networking/ingress.ts';
import { networkPolicyDefaults, networkPolicyStrategy } from './networking/network-policy.ts';
import {
  policyBindingDefaults,
  policyBindingStrategy,
  policyDefaults,
  policyStrategy,
} from './other/admission-policy.ts';
import { priorityClassDefaults, priorityClassStrategy, runtimeClassStrategy } from './other/classes.ts';
import {
  bindingDefaults,
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  roleStrategy,
} from './other/rbac.ts';
import {
  budgetStrategy,
  endpointSliceDefaults,
  endpointSliceStrategy,
  leaseStrategy,
  storageClassDefaults,
  storageClassStrategy,
} from './other/small-kinds.ts';
import { limitRangeDefaults, quotaStrategy, serviceCidrStrategy } from './other/uncounted.ts';
import { mutatingDefaults, validatingDefaults, webhookConfigurationStrategy } from './other/webhook-configuration.ts';
import type { Strategy } from './strategy.ts';

/** What the server knows about a built-in kind beyond its schema. */
export interface KindRules {
  readonly defaults?: Defaults;
  readonly strategy?: Strategy;
  readonly selectableFields?: readonly string[];
}

const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
];

const eventFields = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
];

/** The rules of built-in kinds by qualified name. Kinds without an entry follow their schema. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  pods: { defaults: podDefaults, strategy: podStrategy, selectableFields: podFields },
  services: { defaults: serviceDefaults, strategy: serviceStrategy, selectableFields: ['spec.clusterIP', 'spec.type'] },
  configmaps: { strategy: configMapStrategy },
  secrets: { defaults: secretDefaults, strategy: secretStrategy, selectableFields: ['type'] },
  persistentvolumeclaims: { defaults: claimDefaults, strategy: claimStrategy },
  persistentvolumes: { defaults: volumeDefaults, strategy: volumeStrategy },
  namespaces: { defaults: namespaceDefaults, strategy: namespaceStrategy, selectableFields: ['status.phase'] },
  nodes: { strategy: nodeStrategy, defaults: nodeDefaults, selectableFields: ['spec.unschedulable'] },
  serviceaccounts: { strategy: serviceAccountStrategy },
  endpoints: { defaults: endpointsDefaults, strategy: endpointsStrategy },
  events: { strategy: eventStrategy, selectableFields: eventFields },
  'events.events.k8s.io': { strategy: newEventStrategy, selectableFields: eventFields },
  'deployments.apps': { defaults: deploymentDefaults, strategy: deploymentStrategy },
  'replicasets.apps': {
    defaults: replicaSetDefaults,
    strategy: replicaSetStrategy,
    selectableFields: ['status.replicas'],
  },
  'statefulsets.apps': { defaults: statefulSetDefaults, strategy: statefulSetStrategy },
  'daemonsets.apps': { defaults: daemonSetDefaults, strategy: daemonSetStrategy },
  'jobs.batch': { defaults: jobDefaults, strategy: jobStrategy, selectableFields: ['status.successful'] },
  'cronjobs.batch': { defaults: cronJobDefaults, strategy: cronJobStrategy },
  'leases.coordination.k8s.io': { strategy: leaseStrategy },
  'endpointslices.discovery.k8s.io': { defaults: endpointSliceDefaults, strategy: endpointSliceStrategy },
  'poddisruptionbudgets.policy': { strategy: budgetStrategy },
  'roles.rbac.authorization.k8s.io': { strategy: roleStrategy },
  'clusterroles.rbac.authorization.k8s.io': { strategy: clusterRoleStrategy },
  'rolebindings.rbac.authorization.k8s.io': { defaults: bindingDefaults, strategy: roleBindingStrategy },
  'clusterrolebindings.rbac.authorization.k8s.io': { defaults: bindingDefaults, strategy: clusterRoleBindingStrategy },
  'storageclasses.storage.k8s.io': { defaults: storageClassDefaults, strategy: storageClassStrategy },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    defaults: validatingDefaults,
    strategy: webhookConfigurationStrategy,
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': {
    defaults: mutatingDefaults,
    strategy: webhookConfigurationStrategy,
  },
  resourcequotas: { strategy: quotaStrategy },
  limitranges: { defaults: limitRangeDefaults },
  'servicecidrs.networking.k8s.io': { strategy: serviceCidrStrategy },
  'networkpolicies.networking.k8s.io': { defaults: networkPolicyDefaults, strategy: networkPolicyStrategy },
  'ingresses.networking.k8s.io': { strategy: ingressStrategy },
  'ingressclasses.networking.k8s.io': { defaults: ingressClassDefaults, strategy: ingressClassStrategy },
  'priorityclasses.scheduling.k8s.io': { defaults: priorityClassDefaults, strategy: priorityClassStrategy },
  'runtimeclasses.node.k8s.io': { strategy: runtimeClassStrategy },
  'horizontalpodautoscalers.autoscaling': { defaults: autoscalerDefaults, strategy: autoscalerStrategy },
  'validatingadmissionpolicies.admissionregistration.k8s.io': { defaults: policyDefaults, strategy: policyStrategy },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    defaults: policyBindingDefaults,
    strategy: policyBindingStrategy,
  },
  'customresourcedefinitions.apiextensions.k8s.io': { defaults: definitionDefaults, strategy: definitionStrategy },
};
