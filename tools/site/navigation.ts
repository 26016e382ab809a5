// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import { frontPage, type Page } from './pages.ts';

export interface Group {
  readonly name: string;
  readonly items: readonly { readonly title: string; readonly file: string }[];
}

/** Folders of docs/ besides the guide, in the order of the menu. */
const folders = { reference: 'Reference', rules: 'Rules', decisions: 'Decisions', security: 'Security' };

/**
 * The menu. The groups of the guide are those of its front page (bold lines), in its order; other pages and folders
 * follow.
 */
export function navigation(pages: readonly Page[], titleOf: (page: Page) => string): readonly Group[] {
  const taken = new Set<string>([frontPage]);
  const item = (page: Page) => ({ title: titleOf(page), file: page.file });
  const take = (found: readonly Page[]) =>
    found.filter(({ source }) => !taken.has(source) && taken.add(source)).map((page) => item(page));
  const guide = guideGroups(pages).map(({ name, found }) => ({ name, items: take(found) }));
  const inFolder = (folder: string) => pages.filter(({ source }) => source.startsWith(`${folder}/`));
  return [
    ...guide,
    { name: 'More of the guide', items: take(inFolder('docs/guide')) },
    ...Object.entries(folders).map(([folder, name]) => ({ name, items: take(inFolder(`docs/${folder}`)) })),
    { name: 'Project', items: take(pages) },
  ].filter(({ items }) => items.length > 0);
}

function guideGroups(pages: readonly Page[]): readonly { readonly name: string; readonly found: readonly Page[] }[] {
  const front = pages.find(({ source }) => source === frontPage)?.text ?? '';
  const groups = front.split(/^\*\*(.+)\*\*$/m).slice(1);
  return groups.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const linked = [...(groups[index + 1] ?? '').matchAll(/\]\(([^)#]+\.md)/g)];
    const sources = linked.map(([, path = '']) => posix.join(posix.dirname(frontPage), path));
    return [{ name, found: sources.flatMap((source) => pages.filter((page) => page.source === source)) }];
  });
}
