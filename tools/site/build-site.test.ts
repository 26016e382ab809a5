// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { buildSite } from './build-site.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'site-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const build = () => buildSite(folder, join(folder, 'out'), '1.2.3');

test('our own documentation has no link and no anchor that leads nowhere, and every page is in the menu', async () => {
  const out = join(folder, 'out');
  const { pages } = await buildSite(repositoryRoot, out, '1.2.3');
  const html = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  expect(html).toHaveLength(pages);
  const front = readFileSync(join(out, 'index.html'), 'utf8');
  const menu = [...(/<nav.*?<\/nav>/s.exec(front)?.[0] ?? '').matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
  expect(menu.toSorted()).toEqual(html.filter((file) => file !== 'index.html').toSorted());
});

test('a link to no file, and one to no heading, are named with their page, and nothing is written', async () => {
  write('docs/guide/README.md', '# Guide\n[a](a.md#no-such), [b](b.md)\n');
  write('docs/guide/a.md', '# A\n');
  await expect(build()).rejects.toThrow(
    'docs/guide/README.md: b.md is no file\ndocs/guide/README.md: guide/a.html has no heading #no-such',
  );
  expect(existsSync(join(folder, 'out'))).toBe(false);
});

test('the menu has the groups of the front page in its order, then what it does not name', async () => {
  write('docs/guide/README.md', '# Guide\n\n**First**\n\n- [B](b.md), [A](a.md)\n');
  for (const name of ['a', 'b', 'c']) write(`docs/guide/${name}.md`, `# Page ${name}\n`);
  await build();
  const front = readFileSync(join(folder, 'out/index.html'), 'utf8');
  expect([...front.matchAll(/<summary>(.*?)<|">(Page .)</g)].map(([, group, page]) => group ?? page)).toEqual([
    'First',
    'Page b',
    'Page a',
    'More of the guide',
    'Page c',
  ]);
});

test('an earlier build is replaced, and a folder with anything else in it is left alone', async () => {
  write('docs/guide/README.md', '# Guide\n');
  await build();
  write('out/old.html', 'old');
  await build();
  expect(existsSync(join(folder, 'out/old.html'))).toBe(false);
  rmSync(join(folder, 'out'), { recursive: true });
  write('out/mine.txt', 'mine');
  await expect(build()).rejects.toThrow('holds something else than a site');
  expect(readFileSync(join(folder, 'out/mine.txt'), 'utf8')).toBe('mine');
});
