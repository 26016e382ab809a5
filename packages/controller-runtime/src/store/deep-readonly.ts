// SPDX-License-Identifier: Apache-2.0

/** A type to whose depths nothing can be assigned: what a cache hands out is shared with everybody else. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** An object as it is handed out: the same one, for readers only. */
export function shared<T>(object: T): DeepReadonly<T> {
  return object as DeepReadonly<T>;
}
