// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { documentWriter } from './document-writer.ts';

const head = { source: 'b/k', revision: 7 };
const items = [{ key: 'a: "b"', size: 1 }, { key: '# c\n', size: 0 }, { keyBase64: 'AA==' }];

test.each([0, 1, 3])('a document of %i items is what was written, as JSON and as YAML', (count) => {
  const shown = items.slice(0, count);
  for (const format of ['json', 'yaml'] as const) {
    let text = '';
    const writer = documentWriter(format, head, 'keys', (part) => {
      text += part;
    });
    for (const item of shown) writer.item(item);
    writer.end({ count });
    expect(format === 'json' ? JSON.parse(text) : parse(text)).toEqual({ ...head, keys: shown, count });
  }
});
