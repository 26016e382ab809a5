// SPDX-License-Identifier: Apache-2.0
import type { Cause } from '../invalid.ts';
import type { KindName } from './base-objects.ts';

/** A valid object in a namespace: where it is created, and how a refusal names its kind. */
export type BaseObject = (ns: string) => { readonly path: string; readonly kind: string; readonly object: object };

/** One way to spoil a valid object, and what the server says to it. */
export interface Refused {
  /** The sentence that the case proves. */
  readonly says: string;
  readonly of: KindName;
  /** Paths with dots between their parts; `undefined` takes a field away. */
  readonly change: Readonly<Record<string, unknown>>;
  readonly causes: readonly Cause[];
}
