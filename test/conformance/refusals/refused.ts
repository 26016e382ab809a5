// SPDX-License-Identifier: Apache-2.0
import type { KindName } from './base-objects.ts';

/** A valid object in a namespace: its path, and its kind in errors. */
export type BaseObject = (ns: string) => { readonly path: string; readonly kind: string; readonly object: object };

/** One invalid change of a valid object, and the server's error. */
export interface Refused {
  /** The sentence that the case proves. */
  readonly says: string;
  readonly of: KindName;
  /** Paths with dots; `undefined` removes a field. */
  readonly change: Readonly<Record<string, unknown>>;
  /** Each field error as kubectl shows it. */
  readonly error: string | readonly string[];
}
