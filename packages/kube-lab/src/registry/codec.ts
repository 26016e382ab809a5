// SPDX-License-Identifier: Apache-2.0
import type { Json, JsonObject } from '../json/json.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** Unknown or duplicate fields in a request, with the messages of the real server. */
export type StrictErrors = readonly string[];

/** A decoded object. It is private to the request: strategies modify it in place. */
export interface Decoded {
  readonly object: JsonObject;
  readonly strictErrors: StrictErrors;
}

/** Converts objects of one served version to stored ones and back. */
export interface Codec {
  /**
   * A parsed body as a stored object: types checked, unknown fields removed and reported, defaults set. `value` may be
   * modified. Throws a `DecodeError` where the real server cannot decode. The result may share parts with the stored
   * object `current`; shared parts are frozen.
   */
  decode(value: Json, current?: JsonObject): Decoded;
  /** The JSON text of a stored object in this version. */
  encode(stored: StoredObject): string;
  /** A stored object in this version. */
  toVersion(object: JsonObject): JsonObject;
  /** An empty object of this version, with which a new object is compared. */
  empty(): JsonObject;
}
