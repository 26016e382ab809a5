// SPDX-License-Identifier: Apache-2.0

/** A value that the model may change in place. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
