// SPDX-License-Identifier: Apache-2.0
import { labelRule, labelValueRule, qualifiedNameRule } from '../messages.ts';
import type { Refused } from './refused.ts';

/** Invalid Pods. */
export const refusedPods: readonly Refused[] = [
  {
    says: 'a toleration needs a known operator',
    of: 'pod',
    change: { 'spec.tolerations.0.operator': 'Nope' },
    error: 'spec.tolerations[0].operator: Unsupported value: "Nope": supported values: "Equal", "Exists"',
  },
  {
    says: 'a toleration that only asks whether a key exists has no value',
    of: 'pod',
    change: { 'spec.tolerations.0.operator': 'Exists' },
    error: 'spec.tolerations[0].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\'',
  },
  {
    says: 'a toleration needs a known effect',
    of: 'pod',
    change: { 'spec.tolerations.0.effect': 'Nope' },
    error:
      'spec.tolerations[0].effect: Unsupported value: "Nope": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  },
  {
    says: 'seconds of a toleration are for those that evict',
    of: 'pod',
    change: { 'spec.tolerations.1.effect': 'NoSchedule' },
    error:
      'spec.tolerations[1].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
  },
  {
    says: 'the key of a toleration is a label key',
    of: 'pod',
    change: { 'spec.tolerations.0.key': 'bad key' },
    error: `spec.tolerations[0].key: Invalid value: "bad key": name part ${qualifiedNameRule}`,
  },
  {
    says: 'a node selector holds labels',
    of: 'pod',
    change: { 'spec.nodeSelector': { a: 'bad value!' } },
    error: `spec.nodeSelector: Invalid value: "bad value!": ${labelValueRule}`,
  },
  {
    says: 'an affinity to nodes needs a known operator',
    of: 'pod',
    change: {
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0.matchExpressions.0.operator':
        'Nope',
    },
    error:
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Nope": not a valid selector operator',
  },
  {
    says: 'an affinity to nodes needs values',
    of: 'pod',
    change: {
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0.matchExpressions.0.values':
        undefined,
    },
    error:
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  },
  {
    says: 'an affinity to nodes needs terms',
    of: 'pod',
    change: { 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms': [] },
    error:
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
  },
  {
    says: 'a weight is between 1 and 100',
    of: 'pod',
    change: { 'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.weight': 101 },
    error:
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
  },
  {
    says: 'an affinity to pods needs a valid selector',
    of: 'pod',
    change: {
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.podAffinityTerm.labelSelector.matchLabels':
        { a: 'bad value!' },
    },
    error: `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchLabels: Invalid value: "bad value!": ${labelValueRule}`,
  },
  {
    says: 'a spread needs a skew',
    of: 'pod',
    change: { 'spec.topologySpreadConstraints.0.maxSkew': 0 },
    error: 'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
  },
  {
    says: 'a spread needs to know what to do',
    of: 'pod',
    change: { 'spec.topologySpreadConstraints.0.whenUnsatisfiable': 'Nope' },
    error:
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Nope": supported values: "DoNotSchedule", "ScheduleAnyway"',
  },
  {
    says: 'a spread needs a topology',
    of: 'pod',
    change: { 'spec.topologySpreadConstraints.0.topologyKey': '' },
    error: 'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
  },
  {
    says: 'a host name is a label',
    of: 'pod',
    change: { 'spec.hostname': 'a.b' },
    error: 'spec.hostname: Invalid value: "a.b": must not contain dots',
  },
  {
    says: 'a subdomain is a label',
    of: 'pod',
    change: { 'spec.subdomain': 'Bad_' },
    error: `spec.subdomain: Invalid value: "Bad_": ${labelRule}`,
  },
  {
    says: 'an alias needs an address',
    of: 'pod',
    change: { 'spec.hostAliases.0.ip': 'nope' },
    error:
      'spec.hostAliases[0].ip: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  },
  {
    says: 'a readiness gate is a qualified name',
    of: 'pod',
    change: { 'spec.readinessGates.0.conditionType': 'a b' },
    error: `spec.readinessGates[0].conditionType: Invalid value: "a b": name part ${qualifiedNameRule}`,
  },
  {
    says: 'a name server is an address',
    of: 'pod',
    change: { 'spec.dnsConfig.nameservers.0': 'nope' },
    error:
      'spec.dnsConfig.nameservers[0]: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  },
  {
    says: 'a Pod without DNS of its own needs a name server',
    of: 'pod',
    change: { 'spec.dnsPolicy': 'None', 'spec.dnsConfig': undefined },
    error: 'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
  },
  {
    says: 'an option of DNS has a name',
    of: 'pod',
    change: { 'spec.dnsConfig.options.0.name': undefined },
    error: 'spec.dnsConfig.options[0]: Required value: must not be empty',
  },
  {
    says: 'a seccomp profile has a known type',
    of: 'pod',
    change: { 'spec.securityContext.seccompProfile.type': 'Nope' },
    error:
      'spec.securityContext.seccompProfile.type: Unsupported value: "Nope": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
  },
  {
    says: 'a user is not negative',
    of: 'pod',
    change: { 'spec.securityContext.runAsUser': -1 },
    error: 'spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
  },
  {
    says: 'a deadline is positive',
    of: 'pod',
    change: { 'spec.activeDeadlineSeconds': 0 },
    error: 'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
  },
  {
    says: 'a volume has a name that is a label',
    of: 'pod',
    change: { 'spec.volumes.0.name': 'Bad_' },
    error: [
      `spec.volumes[0].name: Invalid value: "Bad_": ${labelRule}`,
      'spec.containers[0].volumeMounts[0].name: Not found: "e"',
    ],
  },
  {
    says: 'two volumes do not have the same name',
    of: 'pod',
    change: { 'spec.volumes.1.name': 'e' },
    error: ['spec.volumes[1].name: Duplicate value: "e"', 'spec.containers[0].volumeMounts[1].name: Not found: "s"'],
  },
  {
    says: 'the mode of a file is between 0 and 0777',
    of: 'pod',
    change: { 'spec.volumes.1.secret.defaultMode': 512 },
    error: [
      'spec.volumes[1].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.containers[0].volumeMounts[1].name: Not found: "s"',
    ],
  },
  {
    says: 'the path of a key stays inside',
    of: 'pod',
    change: { 'spec.volumes.1.secret.items.0.path': '../up' },
    error: [
      'spec.volumes[1].secret.items[0].path: Invalid value: "../up": must not contain \'..\'',
      'spec.containers[0].volumeMounts[1].name: Not found: "s"',
    ],
  },
  {
    says: 'the path of a key is relative',
    of: 'pod',
    change: { 'spec.volumes.1.secret.items.0.path': '/abs' },
    error: [
      'spec.volumes[1].secret.items[0].path: Invalid value: "/abs": must be a relative path',
      'spec.containers[0].volumeMounts[1].name: Not found: "s"',
    ],
  },
  {
    says: 'a claim has a name',
    of: 'pod',
    change: { 'spec.volumes.3.persistentVolumeClaim.claimName': '' },
    error: 'spec.volumes[3].persistentVolumeClaim.claimName: Required value',
  },
  {
    says: 'a downward file is of a known field',
    of: 'pod',
    change: { 'spec.volumes.4.downwardAPI.items.0.fieldRef.fieldPath': 'spec.nothing' },
    error:
      'spec.volumes[4].downwardAPI.fieldRef.fieldPath: Invalid value: "spec.nothing": error converting fieldPath: field label not supported: spec.nothing',
  },
  {
    says: 'a token lasts at least ten minutes in a volume, too',
    of: 'pod',
    change: { 'spec.volumes.5.projected.sources.0.serviceAccountToken.expirationSeconds': 5 },
    error:
      'spec.volumes[5].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
  },
  {
    says: 'a token has a path',
    of: 'pod',
    change: { 'spec.volumes.5.projected.sources.0.serviceAccountToken.path': '' },
    error: 'spec.volumes[5].projected.path: Required value',
  },
  {
    says: 'a folder of the host has a path',
    of: 'pod',
    change: { 'spec.volumes.6.hostPath.path': '' },
    error: 'spec.volumes[6].hostPath.path: Required value',
  },
  {
    says: 'the type of a folder of the host is known',
    of: 'pod',
    change: { 'spec.volumes.6.hostPath.type': 'Nope' },
    error:
      'spec.volumes[6].hostPath.type: Unsupported value: "Nope": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
  },
];
