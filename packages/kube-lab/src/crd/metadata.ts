// SPDX-License-Identifier: Apache-2.0
import { asObject, type Json, type JsonObject } from '../json/json.ts';
import { type OpenApiDocument, openApiDocument } from '../registry/captured-api.ts';
import { DecodeContext, DecodeError } from '../schema/decode-context.ts';
import type { GoType } from '../schema/go-scalars.ts';
import { goTypeOf } from '../schema/go-types.ts';

const metadataName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
let metadataType: GoType | undefined;

/** `metadata` of a custom object is decoded with the same Go type as that of built-in kinds. */
export function decodeMetadata(value: Json | undefined, strictErrors: string[]): JsonObject {
  metadataType ??= goTypeOf(openApiDocument('api/v1') as OpenApiDocument, metadataName);
  // Errors are relative to this path; unknown fields are relative to the root.
  const context = new DecodeContext();
  const decoded = metadataType.decode(value ?? {}, context, 'ObjectMeta');
  for (const error of context.strictErrors)
    strictErrors.push(error.replace('unknown field "', 'unknown field "metadata.'));
  return asObject(decoded) ?? {};
}

/** The same for an object embedded in a custom object: invalid metadata is dropped. */
export function decodeMetadataInto(object: JsonObject, context: DecodeContext): void {
  const errors: string[] = [];
  const place = context.field();
  try {
    object['metadata'] = decodeMetadata(object['metadata'], errors);
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(`${place}.metadata: ${error.message}`);
    throw error;
  }
  for (const error of errors) context.strictErrors.push(error.replace('"metadata.', `"${place}.metadata.`));
}
