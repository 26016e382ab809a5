// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brokenLinks } from './broken-links.ts';
import { layout } from './layout.ts';
import { navigation } from './navigation.ts';
import { type Page, pagesOf } from './pages.ts';
import { type Rendered, renderPage, type Target } from './render.ts';

const assets = join(import.meta.dirname, 'assets');
const find = createRequire(import.meta.url);

/** Files of packages, with the names that pages use. Their licences require their notices beside them. */
const taken: Readonly<Record<string, string>> = {
  'mermaid.js': find.resolve('@mermaid-js/tiny'),
  'mermaid.licence.txt': join(dirname(find.resolve('@mermaid-js/tiny')), '../LICENSE'),
  'minisearch.js': find.resolve('minisearch').replace(/dist.*$/, 'dist/umd/index.js'),
  'minisearch.licence.txt': find.resolve('minisearch').replace(/dist.*$/, 'LICENSE.txt'),
};

export interface Built {
  readonly pages: number;
  readonly links: number;
}

/** Builds the whole site to a folder. Rejects with all broken links and anchors, if any. */
export async function buildSite(root: string, out: string, version: string): Promise<Built> {
  const pages = pagesOf(root);
  const rendered = new Map(pages.map((page) => [page, renderPage(page, (path) => targetOf(root, pages, path))]));
  const broken = brokenLinks(rendered);
  if (broken.length > 0) throw new Error(`links that lead nowhere:\n${broken.join('\n')}`);
  await empty(out);
  await mkdir(join(out, 'assets'), { recursive: true });
  const menu = navigation(pages, (page) => rendered.get(page)?.title ?? page.file);
  for (const [{ file }, one] of rendered) {
    await mkdir(dirname(join(out, file)), { recursive: true });
    await writeFile(join(out, file), layout(file, one, menu, version));
  }
  for (const file of new Set([...rendered.values()].flatMap(({ copies }) => copies))) {
    await mkdir(dirname(join(out, file)), { recursive: true });
    await copyFile(join(root, 'docs', file), join(out, file));
  }
  for (const name of ['site.css', 'site.js', 'search.js'])
    await copyFile(join(assets, name), join(out, 'assets', name));
  for (const [name, file] of Object.entries(taken)) await copyFile(file, join(out, 'assets', name));
  await writeFile(join(out, 'assets/search-index.js'), searchIndex(rendered));
  return { pages: pages.length, links: [...rendered.values()].flatMap(({ links }) => links).length };
}

/** Removes the files of an earlier build, and nothing else. */
async function empty(out: string): Promise<void> {
  const isSite = existsSync(join(out, 'assets/search-index.js'));
  if (existsSync(out) && readdirSync(out).length > 0 && !isSite)
    throw new Error(`${out} holds something else than a site: name an empty folder, or one that does not exist`);
  await rm(out, { recursive: true, force: true });
}

function targetOf(root: string, pages: readonly Page[], path: string): Target {
  const page = pages.find(({ source }) => source === path || source === `${path}/README.md`);
  if (page) return { kind: 'page', file: page.file };
  if (!existsSync(join(root, path))) return { kind: 'missing' };
  const first = pages.find(({ source }) => source.startsWith(`${path}/`));
  if (first && path.startsWith('docs/')) return { kind: 'page', file: first.file };
  const isCopied = path.startsWith('docs/') && statSync(join(root, path)).isFile();
  return isCopied ? { kind: 'copy', file: path.slice('docs/'.length) } : { kind: 'source', path };
}

/** A script and not JSON: without a server, a browser reads no files beside a page, but runs its scripts. */
function searchIndex(rendered: ReadonlyMap<Page, Rendered>): string {
  const documents = [...rendered].flatMap(([{ file }, { title, sections }]) =>
    sections.map(({ anchor, heading, text }, index) => ({
      url: index === 0 ? file : `${file}#${anchor}`,
      title,
      heading,
      text: text.replace(/\s+/g, ' '),
    })),
  );
  return `globalThis.searchDocuments = ${JSON.stringify(documents)};\n`;
}
