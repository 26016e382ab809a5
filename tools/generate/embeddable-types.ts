// SPDX-License-Identifier: Apache-2.0

/** The built-in types that a custom resource may embed, by their API version. The package kube exports each. */
export const embeddableTypes: Readonly<Record<string, readonly string[]>> = {
  'core/v1': [
    'Affinity',
    'ConfigMapKeySelector',
    'Container',
    'EnvFromSource',
    'EnvVar',
    'HostAlias',
    'LocalObjectReference',
    'NodeAffinity',
    'ObjectReference',
    'PersistentVolumeClaimSpec',
    'PodAffinity',
    'PodAntiAffinity',
    'PodDNSConfig',
    'PodSecurityContext',
    'PodSpec',
    'PodTemplateSpec',
    'Probe',
    'ResourceRequirements',
    'SecretKeySelector',
    'SecurityContext',
    'ServiceSpec',
    'Toleration',
    'TopologySpreadConstraint',
    'Volume',
    'VolumeMount',
    'VolumeResourceRequirements',
  ],
  'meta/v1': ['Condition', 'LabelSelector', 'LabelSelectorRequirement'],
};
