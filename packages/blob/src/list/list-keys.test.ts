// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { all } from '../testing/bodies.ts';
import { listKeys } from './list-keys.ts';

/** A store that answers with these pages, and if it `repeats`, with the last of them forever. */
function scene(pages: readonly (readonly string[])[], options: { repeats?: boolean; isOrdered?: boolean } = {}) {
  let asked = 0;
  const page = async () => {
    const keys = pages[Math.min(asked, pages.length - 1)] ?? [];
    asked += 1;
    const isMore = asked < pages.length || options.repeats === true;
    const items = keys.map((key) => ({ key, bytes: 1, modifiedAt: 0, etag: undefined }));
    return { items, next: isMore ? 'more' : undefined };
  };
  const listing = listKeys({ prefix: 'a/', isOrdered: options.isOrdered ?? true, page });
  return { keys: all(listing).then((items) => items.map(({ key }) => key)), asked: () => asked };
}

const bad = { code: 'BadListing', retryable: true };

describe('a listing', () => {
  test('is passed on page by page', async () => {
    expect(await scene([['a/1', 'a/2'], [], ['a/3']]).keys).toEqual(['a/1', 'a/2', 'a/3']);
  });

  test.each([
    ['names a key twice', [['a/1', 'a/1']]],
    ['repeats a page', [['a/1', 'a/2'], ['a/1', 'a/2'], ['a/3']]],
    ['runs backwards', [['a/2'], ['a/1']]],
    ['names what was not asked for', [['a/1', 'b/2']]],
  ])('that %s is none', async (_title, pages) => {
    await expect(scene(pages).keys).rejects.toMatchObject(bad);
  });

  test.each([
    ['the same page', ['a/1']],
    ['nothing', []],
  ])('that gives %s for ever is ended soon', async (_title, page) => {
    const { keys, asked } = scene([page], { repeats: true });
    await expect(keys).rejects.toMatchObject(bad);
    expect(asked()).toBeLessThanOrEqual(101);
  });

  test('another order is accepted, but no key twice', async () => {
    expect(await scene([['a/2', 'a/1']], { isOrdered: false }).keys).toEqual(['a/2', 'a/1']);
    await expect(scene([['a/2', 'a/1', 'a/2']], { isOrdered: false }).keys).rejects.toMatchObject(bad);
  });
});
