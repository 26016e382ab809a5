// SPDX-License-Identifier: Apache-2.0
import { labelRule, labelValueRule, qualifiedNameRule } from '../messages.ts';
import type { Refused } from './refused.ts';

/** Invalid Pods. */
export const refusedPods: readonly Refused[] = [
  {
    says: 'a toleration needs a known operator',
    of: 'pod',
    change: { 'spec.tolerations.0.operator': 'Nope' },
    causes: [
      [
        'spec.tolerations[0].operator',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "Equal", "Exists"',
      ],
    ],
  },
  {
    says: 'a toleration that only asks whether a key exists has no value',
    of: 'pod',
    change: { 'spec.tolerations.0.operator': 'Exists' },
    causes: [
      [
        'spec.tolerations[0].operator',
        'Invalid',
        'Invalid value: "b": value must be empty when `operator` is \'Exists\'',
      ],
    ],
  },
  {
    says: 'a toleration needs a known effect',
    of: 'pod',
    change: { 'spec.tolerations.0.effect': 'Nope' },
    causes: [
      [
        'spec.tolerations[0].effect',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
  },
  {
    says: 'seconds of a toleration are for those that evict',
    of: 'pod',
    change: { 'spec.tolerations.1.effect': 'NoSchedule' },
    causes: [
      [
        'spec.tolerations[1].effect',
        'Invalid',
        'Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      ],
    ],
  },
  {
    says: 'the key of a toleration is a label key',
    of: 'pod',
    change: { 'spec.tolerations.0.key': 'bad key' },
    causes: [['spec.tolerations[0].key', 'Invalid', `Invalid value: "bad key": name part ${qualifiedNameRule}`]],
  },
  {
    says: 'a node selector holds labels',
    of: 'pod',
    change: { 'spec.nodeSelector': { a: 'bad value!' } },
    causes: [['spec.nodeSelector', 'Invalid', `Invalid value: "bad value!": ${labelValueRule}`]],
  },
  {
    says: 'an affinity to nodes needs a known operator',
    of: 'pod',
    change: {
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0.matchExpressions.0.operator':
        'Nope',
    },
    causes: [
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
        'Invalid',
        'Invalid value: "Nope": not a valid selector operator',
      ],
    ],
  },
  {
    says: 'an affinity to nodes needs values',
    of: 'pod',
    change: {
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0.matchExpressions.0.values':
        undefined,
    },
    causes: [
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values',
        'Required',
        "Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  },
  {
    says: 'an affinity to nodes needs terms',
    of: 'pod',
    change: { 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms': [] },
    causes: [
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
        'Required',
        'Required value: must have at least one node selector term',
      ],
    ],
  },
  {
    says: 'a weight is between 1 and 100',
    of: 'pod',
    change: { 'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.weight': 101 },
    causes: [
      [
        'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
        'Invalid',
        'Invalid value: 101: must be in the range 1-100',
      ],
    ],
  },
  {
    says: 'an affinity to pods needs a valid selector',
    of: 'pod',
    change: {
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.podAffinityTerm.labelSelector.matchLabels':
        { a: 'bad value!' },
    },
    causes: [
      [
        'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchLabels',
        'Invalid',
        `Invalid value: "bad value!": ${labelValueRule}`,
      ],
    ],
  },
  {
    says: 'a spread needs a skew',
    of: 'pod',
    change: { 'spec.topologySpreadConstraints.0.maxSkew': 0 },
    causes: [['spec.topologySpreadConstraints[0].maxSkew', 'Invalid', 'Invalid value: 0: must be greater than zero']],
  },
  {
    says: 'a spread needs to know what to do',
    of: 'pod',
    change: { 'spec.topologySpreadConstraints.0.whenUnsatisfiable': 'Nope' },
    causes: [
      [
        'spec.topologySpreadConstraints[0].whenUnsatisfiable',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "DoNotSchedule", "ScheduleAnyway"',
      ],
    ],
  },
  {
    says: 'a spread needs a topology',
    of: 'pod',
    change: { 'spec.topologySpreadConstraints.0.topologyKey': '' },
    causes: [['spec.topologySpreadConstraints[0].topologyKey', 'Required', 'Required value: can not be empty']],
  },
  {
    says: 'a host name is a label',
    of: 'pod',
    change: { 'spec.hostname': 'a.b' },
    causes: [['spec.hostname', 'Invalid', 'Invalid value: "a.b": must not contain dots']],
  },
  {
    says: 'a subdomain is a label',
    of: 'pod',
    change: { 'spec.subdomain': 'Bad_' },
    causes: [['spec.subdomain', 'Invalid', `Invalid value: "Bad_": ${labelRule}`]],
  },
  {
    says: 'an alias needs an address',
    of: 'pod',
    change: { 'spec.hostAliases.0.ip': 'nope' },
    causes: [
      [
        'spec.hostAliases[0].ip',
        'Invalid',
        'Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
  },
  {
    says: 'a readiness gate is a qualified name',
    of: 'pod',
    change: { 'spec.readinessGates.0.conditionType': 'a b' },
    causes: [
      ['spec.readinessGates[0].conditionType', 'Invalid', `Invalid value: "a b": name part ${qualifiedNameRule}`],
    ],
  },
  {
    says: 'a name server is an address',
    of: 'pod',
    change: { 'spec.dnsConfig.nameservers.0': 'nope' },
    causes: [
      [
        'spec.dnsConfig.nameservers[0]',
        'Invalid',
        'Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
  },
  {
    says: 'a Pod without DNS of its own needs a name server',
    of: 'pod',
    change: { 'spec.dnsPolicy': 'None', 'spec.dnsConfig': undefined },
    causes: [['spec.dnsConfig', 'Required', 'Required value: must provide `dnsConfig` when `dnsPolicy` is None']],
  },
  {
    says: 'an option of DNS has a name',
    of: 'pod',
    change: { 'spec.dnsConfig.options.0.name': undefined },
    causes: [['spec.dnsConfig.options[0]', 'Required', 'Required value: must not be empty']],
  },
  {
    says: 'a seccomp profile has a known type',
    of: 'pod',
    change: { 'spec.securityContext.seccompProfile.type': 'Nope' },
    causes: [
      [
        'spec.securityContext.seccompProfile.type',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
  },
  {
    says: 'a user is not negative',
    of: 'pod',
    change: { 'spec.securityContext.runAsUser': -1 },
    causes: [
      ['spec.securityContext.runAsUser', 'Invalid', 'Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    ],
  },
  {
    says: 'a deadline is positive',
    of: 'pod',
    change: { 'spec.activeDeadlineSeconds': 0 },
    causes: [
      ['spec.activeDeadlineSeconds', 'Invalid', 'Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
  },
  {
    says: 'a volume has a name that is a label',
    of: 'pod',
    change: { 'spec.volumes.0.name': 'Bad_' },
    causes: [
      ['spec.volumes[0].name', 'Invalid', `Invalid value: "Bad_": ${labelRule}`],
      ['spec.containers[0].volumeMounts[0].name', 'NotFound', 'Not found: "e"'],
    ],
  },
  {
    says: 'two volumes do not have the same name',
    of: 'pod',
    change: { 'spec.volumes.1.name': 'e' },
    causes: [
      ['spec.volumes[1].name', 'Duplicate', 'Duplicate value: "e"'],
      ['spec.containers[0].volumeMounts[1].name', 'NotFound', 'Not found: "s"'],
    ],
  },
  {
    says: 'the mode of a file is between 0 and 0777',
    of: 'pod',
    change: { 'spec.volumes.1.secret.defaultMode': 512 },
    causes: [
      [
        'spec.volumes[1].secret.defaultMode',
        'Invalid',
        'Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      ],
      ['spec.containers[0].volumeMounts[1].name', 'NotFound', 'Not found: "s"'],
    ],
  },
  {
    says: 'the path of a key stays inside',
    of: 'pod',
    change: { 'spec.volumes.1.secret.items.0.path': '../up' },
    causes: [
      ['spec.volumes[1].secret.items[0].path', 'Invalid', 'Invalid value: "../up": must not contain \'..\''],
      ['spec.containers[0].volumeMounts[1].name', 'NotFound', 'Not found: "s"'],
    ],
  },
  {
    says: 'the path of a key is relative',
    of: 'pod',
    change: { 'spec.volumes.1.secret.items.0.path': '/abs' },
    causes: [
      ['spec.volumes[1].secret.items[0].path', 'Invalid', 'Invalid value: "/abs": must be a relative path'],
      ['spec.containers[0].volumeMounts[1].name', 'NotFound', 'Not found: "s"'],
    ],
  },
  {
    says: 'a claim has a name',
    of: 'pod',
    change: { 'spec.volumes.3.persistentVolumeClaim.claimName': '' },
    causes: [['spec.volumes[3].persistentVolumeClaim.claimName', 'Required', 'Required value']],
  },
  {
    says: 'a downward file is of a known field',
    of: 'pod',
    change: { 'spec.volumes.4.downwardAPI.items.0.fieldRef.fieldPath': 'spec.nothing' },
    causes: [
      [
        'spec.volumes[4].downwardAPI.fieldRef.fieldPath',
        'Invalid',
        'Invalid value: "spec.nothing": error converting fieldPath: field label not supported: spec.nothing',
      ],
    ],
  },
  {
    says: 'a token lasts at least ten minutes in a volume, too',
    of: 'pod',
    change: { 'spec.volumes.5.projected.sources.0.serviceAccountToken.expirationSeconds': 5 },
    causes: [
      [
        'spec.volumes[5].projected.sources[0].serviceAccountToken.expirationSeconds',
        'Invalid',
        'Invalid value: 5: may not specify a duration less than 10 minutes',
      ],
    ],
  },
  {
    says: 'a token has a path',
    of: 'pod',
    change: { 'spec.volumes.5.projected.sources.0.serviceAccountToken.path': '' },
    causes: [['spec.volumes[5].projected.path', 'Required', 'Required value']],
  },
  {
    says: 'a folder of the host has a path',
    of: 'pod',
    change: { 'spec.volumes.6.hostPath.path': '' },
    causes: [['spec.volumes[6].hostPath.path', 'Required', 'Required value']],
  },
  {
    says: 'the type of a folder of the host is known',
    of: 'pod',
    change: { 'spec.volumes.6.hostPath.type': 'Nope' },
    causes: [
      [
        'spec.volumes[6].hostPath.type',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
  },
];
