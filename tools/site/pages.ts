// SPDX-License-Identifier: Apache-2.0
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the site and its Markdown file; both paths use slashes, and the second one starts at the site's root. */
export interface Page {
  readonly source: string;
  readonly file: string;
  readonly text: string;
}

/** The start page. */
export const frontPage = 'docs/guide/README.md';

/** Pages outside docs/ that those inside point to. */
const besides = [
  'README.md',
  'deploy/README.md',
  'deploy/charts/etcd-operator/README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
];

/** Every Markdown file below docs/, and the few related ones. */
export function pagesOf(root: string): readonly Page[] {
  const inside = globSync('docs/**/*.md', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  return [...inside.sort(), ...besides.filter((file) => existsSync(join(root, file)))].map((source) => ({
    source,
    file: fileOf(source),
    text: readFileSync(join(root, source), 'utf8'),
  }));
}

function fileOf(source: string): string {
  if (source === frontPage) return 'index.html';
  if (!source.startsWith('docs/'))
    return `project/${source
      .replace(/\/README\.md$/, '/index.md')
      .replace(/\.md$/, '')
      .toLowerCase()}.html`;
  return source
    .slice('docs/'.length)
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html');
}
