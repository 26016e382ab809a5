// SPDX-License-Identifier: Apache-2.0
import type { Group } from './navigation.ts';
import { type Rendered, relative } from './render.ts';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A whole page. All addresses in it are relative: it works below any path, and from a folder without a server. */
export function layout(
  file: string,
  { title, html, hasDiagram }: Pick<Rendered, 'title' | 'html' | 'hasDiagram'>,
  menu: readonly Group[],
  version: string,
): string {
  const to = (target: string) => escaped(relative(file, target));
  const groups = menu.map(({ name, items }) => {
    const links = items.map((item) => {
      const current = item.file === file ? ' aria-current="page"' : '';
      return `<li><a href="${to(item.file)}"${current}>${escaped(item.title)}</a></li>`;
    });
    const isOpen = items.some((item) => item.file === file) || file === 'index.html';
    return `<details${isOpen ? ' open' : ''}><summary>${escaped(name)}</summary><ul>${links.join('')}</ul></details>`;
  });
  const root = relative(file, 'index.html').slice(0, -'index.html'.length);
  return `<!doctype html>
<html lang="en" data-root="${escaped(root)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} - etcd-operator</title>
<link rel="stylesheet" href="${to('assets/site.css')}">
</head>
<body>
<header>
<a class="home" href="${to('index.html')}">etcd-operator</a>
<button type="button" class="menu" aria-expanded="false" aria-controls="menu">Menu</button>
<div class="search"><input type="search" placeholder="Search" aria-label="Search" autocomplete="off"><ol hidden></ol></div>
</header>
<div class="columns">
<nav id="menu" aria-label="Pages">${groups.join('\n')}</nav>
<main>
${html}</main>
</div>
<footer>etcd-operator ${escaped(version)}</footer>
${hasDiagram ? `<script src="${to('assets/mermaid.js')}"></script>\n` : ''}<script src="${to('assets/site.js')}"></script>
<script src="${to('assets/search.js')}"></script>
</body>
</html>
`;
}
