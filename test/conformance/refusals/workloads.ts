// SPDX-License-Identifier: Apache-2.0
import { qualifiedNameRule } from '../messages.ts';
import type { Refused } from './refused.ts';

/** Invalid workloads. */
export const refusedWorkloads: readonly Refused[] = [
  {
    says: 'the labels of a template are labels',
    of: 'deployment',
    change: { 'spec.template.metadata.labels': { app: 'x', 'bad key': 'y' } },
    error: `spec.template.labels: Invalid value: "bad key": name part ${qualifiedNameRule}`,
  },
  {
    says: 'a selector has known operators',
    of: 'deployment',
    change: { 'spec.selector.matchExpressions.0.operator': 'Nope' },
    error: [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Nope": not a valid selector operator',
      'spec.selector: Invalid value: {"matchLabels":{"app":"x"},"matchExpressions":[{"key":"app","operator":"Nope","values":["x","y"]}]}: invalid label selector',
    ],
  },
  {
    says: 'a selector does not select everything',
    of: 'deployment',
    change: { 'spec.selector': {} },
    error: 'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
  },
  {
    says: 'a surge is not a wild percentage',
    of: 'deployment',
    change: { 'spec.strategy.rollingUpdate.maxUnavailable': '200%' },
    error: 'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "200%": must not be greater than 100%',
  },
  {
    says: 'a surge is a number or a percentage',
    of: 'deployment',
    change: { 'spec.strategy.rollingUpdate.maxSurge': 'some' },
    error:
      "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"some\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  },
  {
    says: 'progress has more time than readiness',
    of: 'deployment',
    change: { 'spec.progressDeadlineSeconds': 3 },
    error: 'spec.progressDeadlineSeconds: Invalid value: 3: must be greater than minReadySeconds',
  },
  {
    says: 'recreation has no rolling update',
    of: 'deployment',
    change: { 'spec.strategy.type': 'Recreate' },
    error: "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
  },
  {
    says: 'the template of a Deployment has containers',
    of: 'deployment',
    change: { 'spec.template.spec.containers': [] },
    error: 'spec.template.spec.containers: Required value',
  },
  {
    says: 'a StatefulSet has a known order',
    of: 'statefulset',
    change: { 'spec.podManagementPolicy': 'Nope' },
    error: "spec.podManagementPolicy: Invalid value: \"Nope\": must be 'OrderedReady' or 'Parallel'",
  },
  {
    says: 'a StatefulSet has a known way to update',
    of: 'statefulset',
    change: { 'spec.updateStrategy.type': 'Nope' },
    error:
      'spec.updateStrategy: Invalid value: {"Type":"Nope","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'',
  },
  {
    says: 'a partition is not negative',
    of: 'statefulset',
    change: { 'spec.updateStrategy.rollingUpdate.partition': -1 },
    error: 'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
  },
  {
    says: 'ordinals are not negative',
    of: 'statefulset',
    change: { 'spec.ordinals.start': -1 },
    error: 'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0',
  },
  {
    says: 'claims are kept or deleted',
    of: 'statefulset',
    change: { 'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': 'Nope' },
    error:
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Nope": supported values: "Retain", "Delete"',
  },
  {
    says: 'the claims of a StatefulSet are claims',
    of: 'statefulset',
    change: { 'spec.volumeClaimTemplates.0.spec.volumeMode': 'Nope' },
    error:
      'spec.volumeClaimTemplates[0].spec.volumeMode: Unsupported value: "Nope": supported values: "Block", "Filesystem"',
  },
  {
    says: 'a Job completes in a known mode',
    of: 'job',
    change: { 'spec.completionMode': 'Nope' },
    error: 'spec.completionMode: Unsupported value: "Nope": supported values: "NonIndexed", "Indexed"',
  },
  {
    says: 'a Job with an index for each completion knows how many',
    of: 'job',
    change: { 'spec.completions': undefined },
    error: 'spec.completions: Required value: when completion mode is Indexed',
  },
  {
    says: 'a policy for failed Pods has a known action',
    of: 'job',
    change: { 'spec.podFailurePolicy.rules.0.action': 'Nope' },
    error:
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Nope": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
  },
  {
    says: 'a CronJob has a schedule',
    of: 'cronjob',
    change: { 'spec.schedule': '' },
    error: 'spec.schedule: Required value',
  },
  {
    says: 'a schedule does not set its zone itself',
    of: 'cronjob',
    change: { 'spec.schedule': 'TZ=UTC */5 * * * *' },
    error:
      'spec.schedule: Invalid value: "TZ=UTC */5 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
  },
  {
    says: 'limits of history are not negative',
    of: 'cronjob',
    change: { 'spec.successfulJobsHistoryLimit': -1 },
    error: 'spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
  },
  {
    says: 'a CronJob has a short name',
    of: 'cronjob',
    change: { 'metadata.name': 'x'.repeat(53) },
    error:
      'metadata.name: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 52 characters',
  },
];
