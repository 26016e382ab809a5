// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { type Block, blocksOf } from '@etcd-operator/tools/markdown';

/** The actions of a page: files to save, and commands to type, in order. */
export type Action = { readonly line: number; readonly section: string } & (
  | { readonly kind: 'save'; readonly file: string; readonly text: string }
  | { readonly kind: 'type'; readonly script: string }
);

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The same blocks as somebody copies them out of a page of the built site. */
function blocksOnSite(path: string): readonly Block[] {
  const text = readFileSync(path, 'utf8');
  const plain = (html: string) =>
    html.replace(/<[^>]*>/g, '').replace(/&(\w+);/g, (all, name) => entities[name] ?? all);
  return [...text.matchAll(/<pre><code class="language-(\w*)">(.*?)\n<\/code><\/pre>/gs)].map((block) => {
    const [, language = '', content = ''] = block;
    const before = text.slice(0, block.index);
    const section = [...before.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].at(-1)?.[1] ?? '';
    return { language, content: plain(content), line: before.split('\n').length, section: plain(section) };
  });
}

/**
 * The actions of a page, in Markdown or of the built site. A `yaml` block that begins with a comment such as `# my-cluster.yaml` is a file to
 * save, `sh` is typed. Others (`text`, `console`) are only read.
 */
export function actionsOf(path: string): readonly Action[] {
  const blocks = path.endsWith('.html') ? blocksOnSite(path) : blocksOf(path);
  return blocks.flatMap(({ language, content, line, section }): readonly Action[] => {
    if (language === 'sh') return [{ kind: 'type', line, section, script: content }];
    const file = /^# (\S+\.yaml)\n/.exec(content)?.[1];
    return language === 'yaml' && file ? [{ kind: 'save', line, section, file, text: `${content}\n` }] : [];
  });
}
