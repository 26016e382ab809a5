// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { renderPage, type Target } from './render.ts';

const targets: Readonly<Record<string, Target>> = {
  'docs/guide/other.md': { kind: 'page', file: 'guide/other.html' },
  'docs/images/a.svg': { kind: 'copy', file: 'images/a.svg' },
  'apps/x.ts': { kind: 'source', path: 'apps/x.ts' },
};
const render = (text: string) =>
  renderPage(
    { source: 'docs/guide/deep/page.md', file: 'guide/deep/page.html', text },
    (path) => targets[path] ?? { kind: 'missing' },
  );

test('links between pages are relative, keep their anchor, and are returned', () => {
  const { html, links } = render('# T\n[a](../other.md#here), [b](#t)\n');
  expect(html).toContain('<a href="../other.html#here">a</a>');
  expect(links).toEqual([
    { file: 'guide/other.html', anchor: 'here' },
    { file: 'guide/deep/page.html', anchor: 't' },
  ]);
});

test('a file of the repository is named without a link; a missing one is reported', () => {
  const { html, missing } = render('[the code](../../../apps/x.ts) and [gone](gone.md)\n');
  expect(html).toContain('<span class="source" title="In the repository: apps/x.ts">the code</span>');
  expect(missing).toEqual(['gone.md']);
});

test('pictures are copied', () => {
  const { html, copies } = render('![a](../../images/a.svg)\n');
  expect(html).toContain('src="../../images/a.svg"');
  expect(copies).toEqual(['images/a.svg']);
});

test('headings have anchors, and a section has the words below it', () => {
  const { title, html, sections } = render('# The `page`\nfirst *words*\n\n## A part\n```sh\nkubectl get pods\n```\n');
  expect(title).toBe('The page');
  expect(html).toContain('<h2 id="a-part">');
  expect(sections).toEqual([
    { anchor: 'the-page', heading: 'The page', text: 'first words ' },
    { anchor: 'a-part', heading: 'A part', text: 'kubectl get pods\n ' },
  ]);
});

test('a diagram is left to be drawn, HTML in a page is text', () => {
  const { html, hasDiagram } = render('```mermaid\na --> b\n```\n<script>x</script>\n');
  expect(hasDiagram).toBe(true);
  expect(html).toContain('<pre class="mermaid">a --&gt; b\n</pre>');
  expect(html).toContain('&lt;script&gt;');
});
