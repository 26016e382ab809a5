// SPDX-License-Identifier: Apache-2.0
import { PatchError } from './patch-error.ts';

/** The parts of a JSON pointer (RFC 6901): `/metadata/labels/a~1b` is `metadata`, `labels`, `a/b`. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) {
    throw new PatchError(
      'Malformed',
      `${JSON.stringify(pointer)} is not a JSON pointer: it must be empty or start with "/"`,
    );
  }
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer of a child of `parent`. */
export function pointerTo(parent: string, part: string | number): string {
  return `${parent}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
