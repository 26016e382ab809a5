// SPDX-License-Identifier: Apache-2.0
import { qualifiedNameRule } from '../messages.ts';
import type { Refused } from './refused.ts';

/** Invalid workloads. */
export const refusedWorkloads: readonly Refused[] = [
  {
    says: 'the labels of a template are labels',
    of: 'deployment',
    change: { 'spec.template.metadata.labels': { app: 'x', 'bad key': 'y' } },
    causes: [['spec.template.labels', 'Invalid', `Invalid value: "bad key": name part ${qualifiedNameRule}`]],
  },
  {
    says: 'a selector has known operators',
    of: 'deployment',
    change: { 'spec.selector.matchExpressions.0.operator': 'Nope' },
    causes: [
      ['spec.selector.matchExpressions[0].operator', 'Invalid', 'Invalid value: "Nope": not a valid selector operator'],
      [
        'spec.selector',
        'Invalid',
        'Invalid value: {"matchLabels":{"app":"x"},"matchExpressions":[{"key":"app","operator":"Nope","values":["x","y"]}]}: invalid label selector',
      ],
    ],
  },
  {
    says: 'a selector does not select everything',
    of: 'deployment',
    change: { 'spec.selector': {} },
    causes: [['spec.selector', 'Invalid', 'Invalid value: {}: empty selector is invalid for deployment']],
  },
  {
    says: 'a surge is not a wild percentage',
    of: 'deployment',
    change: { 'spec.strategy.rollingUpdate.maxUnavailable': '200%' },
    causes: [
      ['spec.strategy.rollingUpdate.maxUnavailable', 'Invalid', 'Invalid value: "200%": must not be greater than 100%'],
    ],
  },
  {
    says: 'a surge is a number or a percentage',
    of: 'deployment',
    change: { 'spec.strategy.rollingUpdate.maxSurge': 'some' },
    causes: [
      [
        'spec.strategy.rollingUpdate.maxSurge',
        'Invalid',
        "Invalid value: \"some\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ],
    ],
  },
  {
    says: 'progress has more time than readiness',
    of: 'deployment',
    change: { 'spec.progressDeadlineSeconds': 3 },
    causes: [['spec.progressDeadlineSeconds', 'Invalid', 'Invalid value: 3: must be greater than minReadySeconds']],
  },
  {
    says: 'recreation has no rolling update',
    of: 'deployment',
    change: { 'spec.strategy.type': 'Recreate' },
    causes: [
      [
        'spec.strategy.rollingUpdate',
        'Forbidden',
        "Forbidden: may not be specified when strategy `type` is 'Recreate'",
      ],
    ],
  },
  {
    says: 'the template of a Deployment has containers',
    of: 'deployment',
    change: { 'spec.template.spec.containers': [] },
    causes: [['spec.template.spec.containers', 'Required', 'Required value']],
  },
  {
    says: 'a StatefulSet has a known order',
    of: 'statefulset',
    change: { 'spec.podManagementPolicy': 'Nope' },
    causes: [['spec.podManagementPolicy', 'Invalid', "Invalid value: \"Nope\": must be 'OrderedReady' or 'Parallel'"]],
  },
  {
    says: 'a StatefulSet has a known way to update',
    of: 'statefulset',
    change: { 'spec.updateStrategy.type': 'Nope' },
    causes: [
      [
        'spec.updateStrategy',
        'Invalid',
        'Invalid value: {"Type":"Nope","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'',
      ],
    ],
  },
  {
    says: 'a partition is not negative',
    of: 'statefulset',
    change: { 'spec.updateStrategy.rollingUpdate.partition': -1 },
    causes: [
      [
        'spec.updateStrategy.rollingUpdate.partition',
        'Invalid',
        'Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
  },
  {
    says: 'ordinals are not negative',
    of: 'statefulset',
    change: { 'spec.ordinals.start': -1 },
    causes: [['spec.ordinals.start', 'Invalid', 'Invalid value: -1: must be greater than or equal to 0']],
  },
  {
    says: 'claims are kept or deleted',
    of: 'statefulset',
    change: { 'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': 'Nope' },
    causes: [
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "Retain", "Delete"',
      ],
    ],
  },
  {
    says: 'the claims of a StatefulSet are claims',
    of: 'statefulset',
    change: { 'spec.volumeClaimTemplates.0.spec.volumeMode': 'Nope' },
    causes: [
      [
        'spec.volumeClaimTemplates[0].spec.volumeMode',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "Block", "Filesystem"',
      ],
    ],
  },
  {
    says: 'a Job completes in a known mode',
    of: 'job',
    change: { 'spec.completionMode': 'Nope' },
    causes: [
      ['spec.completionMode', 'NotSupported', 'Unsupported value: "Nope": supported values: "NonIndexed", "Indexed"'],
    ],
  },
  {
    says: 'a Job with an index for each completion knows how many',
    of: 'job',
    change: { 'spec.completions': undefined },
    causes: [['spec.completions', 'Required', 'Required value: when completion mode is Indexed']],
  },
  {
    says: 'a policy for failed Pods has a known action',
    of: 'job',
    change: { 'spec.podFailurePolicy.rules.0.action': 'Nope' },
    causes: [
      [
        'spec.podFailurePolicy.rules[0].action',
        'NotSupported',
        'Unsupported value: "Nope": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      ],
    ],
  },
  {
    says: 'a CronJob has a schedule',
    of: 'cronjob',
    change: { 'spec.schedule': '' },
    causes: [['spec.schedule', 'Required', 'Required value']],
  },
  {
    says: 'a schedule does not set its zone itself',
    of: 'cronjob',
    change: { 'spec.schedule': 'TZ=UTC */5 * * * *' },
    causes: [
      [
        'spec.schedule',
        'Invalid',
        'Invalid value: "TZ=UTC */5 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
  },
  {
    says: 'limits of history are not negative',
    of: 'cronjob',
    change: { 'spec.successfulJobsHistoryLimit': -1 },
    causes: [['spec.successfulJobsHistoryLimit', 'Invalid', 'Invalid value: -1: must be greater than or equal to 0']],
  },
  {
    says: 'a CronJob has a short name',
    of: 'cronjob',
    change: { 'metadata.name': 'x'.repeat(53) },
    causes: [
      [
        'metadata.name',
        'Invalid',
        'Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 52 characters',
      ],
    ],
  },
];
