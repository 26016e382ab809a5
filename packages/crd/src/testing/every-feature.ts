// SPDX-License-Identifier: Apache-2.0
import {
  anything,
  bool,
  cel,
  choice,
  dateTime,
  defineKind,
  duration,
  embedded,
  enumeration,
  int32,
  int64,
  intOrString,
  keyedList,
  list,
  map,
  nullable,
  number,
  object,
  optional,
  quantity,
  set,
  string,
} from '../index.ts';

const port = object({
  name: string({ maxLength: 63, format: 'k8s-short-name' }),
  protocol: enumeration(['TCP', 'UDP'], { default: 'TCP' }),
  number: int32({ minimum: 1, maximum: 65_535 }),
});

const spec = object(
  {
    size: int32({
      description: 'How many there are.',
      minimum: 1,
      maximum: 7,
      rules: [
        cel('self % 2 == 1', 'must be odd', {
          messageExpression: "self == 2 ? 'must be odd, and is two' : 'must be odd'",
        }),
        cel('self >= oldSelf', 'can only grow', { reason: 'FieldValueForbidden' }),
      ],
    }),
    version: string({
      description: 'Version, without a leading v.',
      pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$',
      default: '3.6.16',
    }),
    mode: enumeration(['Fast', 'Safe'], { description: 'How to go about it.', default: 'Safe' }),
    keep: optional(choice([true, false, 'Some'], { description: 'Whether to keep what was there.' })),
    founder: optional(
      string({
        maxLength: 63,
        rules: [
          cel("!oldSelf.hasValue() || oldSelf.value() == '' || oldSelf.value() == self", 'cannot be changed', {
            optionalOldSelf: true,
          }),
        ],
      }),
    ),
    revision: optional(int64()),
    ratio: optional(number({ minimum: 0, maximum: 1 })),
    step: optional(int32({ multipleOf: 5 })),
    paused: bool({ default: false }),
    memory: quantity({ default: '1Gi' }),
    surge: optional(intOrString({ description: 'A number or a share.' })),
    timeout: duration({ default: '90s' }),
    notBefore: optional(nullable(dateTime())),
    endpoint: optional(string({ format: 'uri', deprecated: 'use endpoints instead.' })),
    endpoints: optional(list(string({ maxLength: 128 }), { minItems: 1, maxItems: 16 })),
    zones: optional(set(string({ maxLength: 63 }), { maxItems: 8 })),
    ports: optional(keyedList(port, ['name', 'protocol'], { maxItems: 8 })),
    labels: optional(
      map(string({ maxLength: 63 }), {
        description: 'Added to everything made.',
        maxProperties: 8,
        rules: [cel("self.all(key, key != 'app')", 'the label app is set by the operator')],
      }),
    ),
    reference: optional(
      object(
        { name: string({ maxLength: 253 }), namespace: optional(string({ maxLength: 63 })) },
        { mapType: 'atomic' },
      ),
    ),
    pod: object(
      { replicas: int32({ default: 1 }), note: optional(string()) },
      { description: 'Has a default of its own, and fields with defaults.', default: {} },
    ),
    legacy: optional(object({ known: optional(string()) }, { preserveUnknownFields: true })),
    extra: optional(anything({ description: 'Kept as it is.' })),
    resources: optional(embedded('core/v1', 'ResourceRequirements', { description: 'What it may use.' })),
    tolerations: optional(list(embedded('core/v1', 'Toleration'))),
    env: optional(keyedList(embedded('core/v1', 'EnvVar'), ['name'])),
    claim: optional(embedded('core/v1', 'PersistentVolumeClaimSpec')),
  },
  {
    description: 'What is asked for.',
    rules: [
      cel("self.mode == 'Safe' || !self.paused", 'only a safe one can be paused', {
        fieldPath: '.paused',
        reason: 'FieldValueForbidden',
      }),
    ],
  },
);

const status = object(
  {
    phase: optional(enumeration(['Creating', 'Running', 'Failed'])),
    size: int32({ default: 0 }),
    selector: optional(string()),
    lastSuccess: optional(nullable(dateTime({ description: 'Null until there was one.' }))),
    conditions: optional(keyedList(embedded('meta/v1', 'Condition'), ['type'])),
  },
  { description: 'What is there.' },
);

/** A kind with every feature of declarations. */
export const gadgets = defineKind({
  group: 'example.com',
  version: 'v1beta2',
  kind: 'Gadget',
  plural: 'gadgets',
  shortNames: ['gd'],
  categories: ['all', 'toys'],
  scope: 'Namespaced',
  description: 'A gadget, for tests.',
  name: string({ maxLength: 52 }),
  spec,
  status,
  rules: [cel("self.metadata.name != 'forbidden'", 'this name is taken')],
  columns: [
    { name: 'Size', path: '.spec.size' },
    { name: 'Memory', path: '.spec.memory', priority: 1 },
    { name: 'Ready', path: '.status.conditions[?(@.type=="Ready")].status', description: 'Whether it works.' },
    { name: 'Last success', path: '.status.lastSuccess' },
    { name: 'Age', path: '.metadata.creationTimestamp' },
  ],
  scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size', labelSelectorPath: '.status.selector' },
  selectableFields: ['.spec.mode', '.spec.founder'],
});
