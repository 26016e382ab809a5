// SPDX-License-Identifier: Apache-2.0
import { asObject, type Json, type JsonObject } from '../json/json.ts';
import { type OpenApiDocument, openApiDocument } from '../registry/captured-api.ts';
import { DecodeContext, DecodeError } from '../schema/decode-context.ts';
import type { GoType } from '../schema/go-scalars.ts';
import { goTypeOf } from '../schema/go-types.ts';

const metadataName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
let metadataType: GoType | undefined;

/** Decodes the `metadata` of a custom object with the same Go type as the `metadata` of built-in kinds. */
export function decodeMetadata(value: Json | undefined, strictErrors: string[]): JsonObject {
  metadataType ??= goTypeOf(openApiDocument('api/v1') as OpenApiDocument, metadataName);
  // Type errors name fields below `ObjectMeta`. Unknown fields are named from the root of the object.
  const context = new DecodeContext();
  const decoded = metadataType.decode(value ?? {}, context, 'ObjectMeta');
  for (const error of context.strictErrors)
    strictErrors.push(error.replace('unknown field "', 'unknown field "metadata.'));
  return asObject(decoded) ?? {};
}

/** Like `decodeMetadata`, for an object embedded in a custom object: errors name its place in the custom object. */
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
