// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../../json/json.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import type { GoType } from '../../schema/go-scalars.ts';
import { builtinType, withoutTypeMeta } from '../builtin-codec.ts';
import type { Codec } from '../codec.ts';
import type { ResourceNames } from '../served-resource.ts';
import { writtenTexts } from '../written-texts.ts';

/** Names of fields in `events.k8s.io/v1` and in `v1`. */
const renamed: readonly (readonly [string, string])[] = [
  ['note', 'message'],
  ['regarding', 'involvedObject'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

function rename(object: JsonObject, from: 0 | 1): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...result } = object;
  for (const pair of renamed) {
    const value = result[pair[from]];
    delete result[pair[from]];
    if (value !== undefined) result[pair[1 - from] as string] = value;
  }
  return result;
}

const oldNames = { group: '', version: 'v1', kind: 'Event' };

/** The codec of `events.k8s.io/v1`: the same objects as the Events of the core group, with other field names. */
export function eventCodec(names: ResourceNames): Codec {
  let types: { readonly own: GoType; readonly old: GoType } | undefined;
  const load = () => {
    types ??= { own: builtinType(names), old: builtinType(oldNames) };
    return types;
  };
  const shape = (type: GoType, object: JsonObject) => withoutTypeMeta(type.decode(object, new DecodeContext(), ''));
  const toVersion = (object: JsonObject): JsonObject => ({
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    ...shape(load().own, rename(object, 1)),
  });
  return {
    decode(value) {
      const { own, old } = load();
      const context = new DecodeContext();
      const decoded = withoutTypeMeta(own.decode(value ?? {}, context, ''));
      const object = { kind: 'Event', apiVersion: 'v1', ...shape(old, rename(decoded, 0)) };
      return { object, strictErrors: context.strictErrors };
    },
    encode: writtenTexts(toVersion),
    toVersion,
    empty: () => ({ kind: 'Event', apiVersion: 'events.k8s.io/v1', ...(load().own.absent() as JsonObject) }),
  };
}
