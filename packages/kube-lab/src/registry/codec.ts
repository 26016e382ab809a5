// SPDX-License-Identifier: Apache-2.0
import type { Json, JsonObject } from '../json/json.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** What a client wrote that the schema does not know or allows only once, in the words of the real server. */
export type StrictErrors = readonly string[];

/** An object read off a request. It is private to the request: strategies change it in place. */
export interface Decoded {
  readonly object: JsonObject;
  readonly strictErrors: StrictErrors;
}

/** Turns objects of one served version into stored ones and back. */
export interface Codec {
  /**
   * A parsed body as a stored object: types checked, unknown fields left out and reported, defaults filled in. `value` may
   * be changed. Throws a `DecodeError` where the real server cannot decode. Parts that are the very parts of `current`, which is
   * stored, may be taken over as they are: frozen.
   */
  decode(value: Json, current?: JsonObject): Decoded;
  /** The JSON text of a stored object in this version. */
  encode(stored: StoredObject): string;
  /** A stored object in this version. */
  toVersion(object: JsonObject): JsonObject;
  /** An object of this version before anything is set: what a new one is compared with. */
  empty(): JsonObject;
}
