// SPDX-License-Identifier: Apache-2.0
/** The tutorials' commands and files as printed, typed in an empty playground without additions. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chapters } from './testing/chapters.ts';
import { sitDownAtPlayground } from './testing/playground-desk.ts';
import { Reading } from './testing/reading.ts';

const reading = new Reading(join(import.meta.dirname, '../..'));

let desk: Awaited<ReturnType<typeof sitDownAtPlayground>>;
beforeAll(async () => {
  desk = await sitDownAtPlayground('--empty');
});
afterAll(() => desk?.[Symbol.asyncDispose]());

test.concurrent.each(chapters)('$page, typed as printed in the playground', { timeout: 600_000 }, async (chapter) => {
  expect(await reading.type(chapter, desk)).toBe(chapter.commands);
});
