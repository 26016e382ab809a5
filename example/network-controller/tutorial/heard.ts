// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@etcd-operator/tools/markdown';
import { expect, vi } from 'vitest';
import { messageOf } from './readme.ts';
import type { Running } from './terminal.ts';

/** Ages differ, and so does the space beside them. */
export const comparable = (text: string): string => text.replace(/\b\d+s\b/g, 'N').replace(/ +/g, ' ');

/** Waits until these lines have appeared, in this order, after the line `from`. Returns the position. */
export async function heard(
  controller: Running,
  { content }: Block,
  from: number,
  patience: { readonly timeout: number; readonly interval: number },
): Promise<number> {
  let at = from;
  for (const wanted of content.split('\n').map(messageOf)) {
    at = await vi.waitFor(() => {
      const found = controller.lines.findIndex((line, index) => index >= at && messageOf(line) === wanted);
      expect(found, `${wanted}\nin\n${controller.lines.slice(from).join('\n')}`).toBeGreaterThanOrEqual(0);
      return found + 1;
    }, patience);
  }
  return at;
}
