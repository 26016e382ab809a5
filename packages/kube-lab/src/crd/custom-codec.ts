// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { cloneJson, isObject, type JsonObject } from '../json/json.ts';
import type { Codec } from '../registry/codec.ts';
import { writtenTexts } from '../registry/written-texts.ts';
import { DecodeContext, DecodeError } from '../schema/decode-context.ts';
import { decodeMetadata } from './metadata.ts';
import { coerceEmbedded } from './schema/coerce-embedded.ts';
import { applyDefaults, pruneNulls } from './schema/defaults.ts';
import { pruneUnknown } from './schema/prune.ts';
import type { SchemaNode } from './schema/schema-node.ts';

export interface CustomCodecOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: SchemaNode;
  /** `spec.preserveUnknownFields` (deprecated). If true, nothing is pruned. */
  readonly preserveUnknownFields: boolean;
  readonly storageVersion: string;
  /** Converts an object to another version. Without a conversion webhook, only `apiVersion` changes. */
  convert(object: JsonObject, apiVersion: string): JsonObject;
}

/** The codec of one version of a custom resource. */
export function customCodec(options: CustomCodecOptions): Codec {
  const apiVersion = apiVersionOf(options);
  const storedVersion = `${options.group}/${options.storageVersion}`;
  const isStored = options.version === options.storageVersion;
  // Objects that were decoded with this schema. All other stored objects are pruned and defaulted when they are read.
  const current = new WeakSet<JsonObject>();
  const writtenText = writtenTexts((object) => readVersion(object, options, apiVersion));
  // A create drops the status, and with it the defaults in the status. They are set when the object is read.
  const statusDefault = options.schema.properties.get('status')?.fallback;
  const isComplete = (object: JsonObject) =>
    isStored && current.has(object) && (statusDefault === undefined || object['status'] !== undefined);
  const shown = (object: JsonObject) => (isComplete(object) ? object : readVersion(object, options, apiVersion));
  return {
    decode(value) {
      if (!isObject(value)) throw new DecodeError('the object is not a JSON object');
      const context = new DecodeContext();
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = value;
      const object: JsonObject = { apiVersion, kind: options.kind, ...rest };
      object['metadata'] = decodeMetadata(object['metadata'], context.strictErrors);
      const unknown = options.preserveUnknownFields ? [] : pruneUnknown(object, options.schema);
      if (!options.preserveUnknownFields) pruneNulls(object, options.schema);
      coerceEmbedded(options.schema, object, context, true);
      applyDefaults(object, options.schema);
      const strictErrors = [...context.strictErrors, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
      current.add(object);
      return { object: isStored ? object : options.convert(object, storedVersion), strictErrors };
    },
    encode(stored) {
      return isComplete(stored.object) ? stored.text : writtenText(stored);
    },
    toVersion: shown,
    empty: () => ({ apiVersion, kind: options.kind }),
  };
}

/** A stored object in a version: converted, then pruned and defaulted by that version's schema. */
function readVersion(object: JsonObject, options: CustomCodecOptions, apiVersion: string): JsonObject {
  const result = cloneJson(options.convert(object, apiVersion));
  if (!options.preserveUnknownFields) pruneUnknown(result, options.schema);
  applyDefaults(result, options.schema);
  return result;
}
