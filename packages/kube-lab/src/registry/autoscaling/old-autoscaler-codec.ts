// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asObjects, getIn, type JsonObject } from '../../json/json.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import type { GoType } from '../../schema/go-scalars.ts';
import { builtinType, withoutTypeMeta } from '../builtin-codec.ts';
import type { Codec } from '../codec.ts';
import type { ResourceNames } from '../served-resource.ts';
import { writtenTexts } from '../written-texts.ts';
import { autoscalerDefaults } from './autoscaler.ts';

const typeMeta = (version: string) => ({ kind: 'HorizontalPodAutoscaler', apiVersion: `autoscaling/${version}` });

/** The CPU utilization, the only metric of v2 that `autoscaling/v1` can express. */
function cpuTarget(spec: JsonObject): number | undefined {
  const cpu = asObjects(spec['metrics']).find(({ resource }) => getIn(resource, 'name') === 'cpu');
  return asNumber(getIn(cpu, 'resource', 'target', 'averageUtilization'));
}

function toOld(object: JsonObject): JsonObject {
  const { metrics: _metrics, behavior: _behavior, ...spec } = asObject(object['spec']) ?? {};
  const target = cpuTarget(asObject(object['spec']) ?? {});
  const { currentMetrics: _current, conditions: _conditions, ...status } = asObject(object['status']) ?? {};
  return {
    metadata: object['metadata'] ?? {},
    spec: { ...spec, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    status: { currentReplicas: 0, ...status },
  };
}

function toNew(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = asObject(object['spec']) ?? {};
  const { currentCPUUtilizationPercentage: _current, ...status } = asObject(object['status']) ?? {};
  const metric = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target ?? 80 } },
  };
  return {
    metadata: object['metadata'] ?? {},
    spec: { ...spec, metrics: [metric] },
    status: { currentMetrics: null, ...status },
  };
}

/**
 * The codec of `autoscaling/v1`: the objects of v2, as far as the older version can express them. Other metrics than
 * CPU utilization, and behaviour, are not shown and are lost when an object is written in this version.
 */
export function oldAutoscalerCodec(names: ResourceNames): Codec {
  let type: GoType | undefined;
  const own = () => {
    type ??= builtinType(names);
    return type;
  };
  const toVersion = (object: JsonObject): JsonObject => ({ ...typeMeta('v1'), ...toOld(object) });
  return {
    decode(value) {
      const context = new DecodeContext();
      const decoded = withoutTypeMeta(own().decode(value ?? {}, context, ''));
      const object: JsonObject = { ...typeMeta('v2'), ...toNew(decoded) };
      autoscalerDefaults(object);
      return { object, strictErrors: context.strictErrors };
    },
    encode: writtenTexts(toVersion),
    toVersion,
    empty: () => ({ ...typeMeta('v1'), ...(own().absent() as JsonObject) }),
  };
}
