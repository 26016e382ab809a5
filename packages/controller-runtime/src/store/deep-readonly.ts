// SPDX-License-Identifier: Apache-2.0

/** A deep readonly type: cached objects are shared with all readers. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The object with a readonly type; the same value. */
export function shared<T>(object: T): DeepReadonly<T> {
  return object as DeepReadonly<T>;
}
