// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { type Block, blocksOf as blocksOfPage } from '@etcd-operator/tools/markdown';

/** The folder of the example. */
export const home = join(import.meta.dirname, '..');

/**
 * The blocks of one section of the README, in order: `sh` is typed, `console` is typed and answered, `log` is the
 * controller's output.
 */
export function blocksOf(section: string): readonly Block[] {
  return blocksOfPage(join(home, 'README.md')).filter((block) => block.section === section);
}

/** A log line without its level and time, and without the version of its object, which differ in every run. */
export function messageOf(line: string): string {
  return line.replace(/^[A-Z] [\d:.]+ /, '').replace(/ResourceVersion:"\d+"/, 'ResourceVersion:"N"');
}
