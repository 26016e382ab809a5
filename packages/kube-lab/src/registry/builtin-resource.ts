// SPDX-License-Identifier: Apache-2.0
import { qualifiedName } from '@operator-parts/kube';
import { FieldSet } from '../apply/field-set.ts';
import { deducedType, type FieldType } from '../apply/field-type.ts';
import { fieldTypeOf } from '../apply/open-api-types.ts';
import type { ScalePaths } from '../crd/scale.ts';
import { oldAutoscalerCodec } from './autoscaling/old-autoscaler-codec.ts';
import { builtinCodec, documentOf, rootTypeName } from './builtin-codec.ts';
import { eventCodec } from './core/event-codec.ts';
import { kindRules } from './kinds.ts';
import type { ResourceNames, ServedResource } from './served-resource.ts';
import { dataStrategy, specStatusStrategy } from './strategies.ts';

const nothing = new FieldSet();
const status = FieldSet.of(['f:status']);
const spec = FieldSet.of(['f:spec']);

const replicasScale: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: undefined,
};

/** A built-in kind, ready to be served. Its schema is parsed at the first write. */
export function builtinResource(names: ResourceNames): ServedResource {
  const hasStatus = names.subresources.some(({ name }) => name === 'status');
  // Events are the same objects in both of their groups.
  const isNewEvent = names.group === 'events.k8s.io';
  const isOldAutoscaler = names.group === 'autoscaling' && names.version === 'v1';
  const collection = isNewEvent ? 'events' : qualifiedName(names);
  const rules = kindRules[qualifiedName(names)] ?? {};
  const strategy = rules.strategy ?? (hasStatus ? specStatusStrategy : dataStrategy);
  const codec = () => {
    if (isNewEvent) return eventCodec(names);
    if (isOldAutoscaler) return oldAutoscalerCodec(names);
    return builtinCodec(names, rules.defaults ?? (() => undefined), strategy.sharesUnchanged);
  };
  let fieldType: FieldType | undefined;
  return {
    ...names,
    collection,
    codec: codec(),
    strategy,
    custom: false,
    selectableFields: rules.selectableFields ?? [],
    definition: undefined,
    terminating: false,
    scale: names.subresources.some(({ name }) => name === 'scale') ? replicasScale : undefined,
    get fieldType() {
      fieldType ??= builtinFieldType(names);
      return fieldType;
    },
    resetFields(subresource) {
      if (!hasStatus) return nothing;
      return subresource === 'status' ? spec : status;
    },
  };
}

function builtinFieldType(names: ResourceNames): FieldType {
  const document = documentOf(names);
  const typeName = document && rootTypeName(document, names);
  return document && typeName !== undefined ? fieldTypeOf(document, typeName) : deducedType;
}
