// SPDX-License-Identifier: Apache-2.0
import type { Part } from '../parts/index.ts';

/** The absolute path of one of a part's programs. */
export function requireProgram({ name, programs }: Part, wanted: string): string {
  const path = programs[wanted];
  if (path === undefined) throw new Error(`the part ${name} has no program ${wanted}: its table entry has changed`);
  return path;
}
