// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/**
 * One field of a Go type behind a built-in kind. Names of embedded structs begin with `+`.
 * - `goType`: its Go type.
 * - `mode`: when it is written (`always`, `omitempty` or `omitzero`); empty for an embedded struct.
 * - `protobuf`: its number in protobuf; 0 for fields of an embedded struct.
 */
export type GoField = readonly [goType: string, mode: string, protobuf: number];

let shapes: Readonly<Record<string, Readonly<Record<string, GoField>>>> | undefined;

/** The fields of a type by its OpenAPI name; empty if it is not a struct. */
export function goFields(typeName: string): Readonly<Record<string, GoField>> {
  shapes ??= JSON.parse(readFileSync(new URL('./go-shapes.json', import.meta.url), 'utf8')) as NonNullable<
    typeof shapes
  >;
  return shapes[typeName] ?? {};
}

/** A Go type as Go's messages name it: without the pointer, with the package's own name. */
export function printedGoType(goType: string): string {
  return goType.replace(/^\*/, '').replace('metav1.', 'v1.').replace('[]byte', '[]uint8');
}
