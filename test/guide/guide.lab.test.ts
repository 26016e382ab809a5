// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Reader } from './testing/reader.ts';
import { installPage, typedPages } from './testing/typed-pages.ts';

const isRemoval = (section: string) => section === 'Uninstall';

let reader: Reader;
beforeAll(async () => {
  reader = await Reader.sitDown();
});
afterAll(() => reader?.[Symbol.asyncDispose]());

describe('the user guide, typed as written', () => {
  test('install', async () => {
    expect(await reader.follow(installPage, (section) => !isRemoval(section))).toBeGreaterThan(0);
  });

  test.each(typedPages)(
    '%s',
    async (page) => {
      expect(await reader.follow(page)).toBeGreaterThan(0);
    },
    300_000,
  );

  test('uninstall', async () => {
    expect(await reader.follow(installPage, isRemoval)).toBeGreaterThan(0);
  });
});
