// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import markdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import { slugger } from './slugs.ts';

/** A search result: a heading and the text below it. */
export interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** The target of a page's link. */
export type Target =
  | { readonly kind: 'page'; readonly file: string }
  /** A file that is copied to this path on the site. */
  | { readonly kind: 'copy'; readonly file: string }
  /** A file of the repository that is not on the site: its path is shown. */
  | { readonly kind: 'source'; readonly path: string }
  | { readonly kind: 'missing' };

export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  readonly anchors: ReadonlySet<string>;
  /** Links to pages of the site, with the anchor after `#` if there is one. */
  readonly links: readonly { readonly file: string; readonly anchor: string }[];
  readonly copies: readonly string[];
  readonly missing: readonly string[];
  readonly hasDiagram: boolean;
}

/** Converts a page to HTML. Pure: `targetOf` returns the targets of links, by the path in the repository. */
export function renderPage(
  { source, file, text }: { readonly source: string; readonly file: string; readonly text: string },
  targetOf: (path: string) => Target,
): Rendered {
  const markdown = markdownIt({ html: false, linkify: false });
  const tokens = markdown.parse(text, {});
  const links: { file: string; anchor: string }[] = [];
  const copies: string[] = [];
  const missing: string[] = [];
  const place = (href: string): string | { readonly path: string } => {
    const [path = '', anchor = ''] = href.split('#');
    if (path === '') links.push({ file, anchor });
    if (path === '' || /^[a-z]+:/.test(href)) return href;
    const asked = posix.join(posix.dirname(source), decodeURI(path));
    const target = targetOf(asked.replace(/\/$/, ''));
    switch (target.kind) {
      case 'page':
        links.push({ file: target.file, anchor });
        return `${relative(file, target.file)}${anchor === '' ? '' : `#${anchor}`}`;
      case 'copy':
        copies.push(target.file);
        return relative(file, target.file);
      case 'source':
        return { path: target.path };
      case 'missing':
        missing.push(href);
        return href;
    }
  };
  const { anchors, sections } = nameHeadings(tokens);
  for (const { children } of tokens) for (const child of children ?? []) placeLink(child, children ?? [], place);
  markdown.renderer.rules['table_open'] = () => '<div class="wide"><table>\n';
  markdown.renderer.rules['table_close'] = () => '</table></div>\n';
  markdown.renderer.rules['fence'] = (all, index) => block(all[index], markdown);
  const html = markdown.renderer.render(tokens, markdown.options, {});
  const hasDiagram = tokens.some(({ type, info }) => type === 'fence' && info === 'mermaid');
  const title = sections[0]?.heading ?? posix.basename(file, '.html');
  return { title, html, sections, anchors, links, copies, missing, hasDiagram };
}

/** The relative path between two files of the site, so that it works below any path and without a server. */
export function relative(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

function nameHeadings(tokens: readonly Token[]): Pick<Rendered, 'anchors' | 'sections'> {
  const slug = slugger();
  const anchors = new Set<string>();
  const sections: { anchor: string; heading: string; text: string }[] = [];
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const heading = plainText(tokens[index + 1]);
      const anchor = slug(heading);
      token.attrSet('id', anchor);
      anchors.add(anchor);
      sections.push({ anchor, heading, text: '' });
    } else if ((token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') || token.type === 'fence') {
      const last = sections.at(-1);
      if (last) last.text += `${token.type === 'fence' ? token.content : plainText(token)} `;
    }
  });
  return { anchors, sections };
}

function plainText(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) => (/break/.test(type) ? ' ' : content)).join('');
}

function placeLink(token: Token, siblings: Token[], place: (href: string) => string | { readonly path: string }): void {
  const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : undefined;
  if (name === undefined) return;
  const placed = place(String(token.attrGet(name) ?? ''));
  if (typeof placed === 'string') {
    token.attrSet(name, placed);
    return;
  }
  // A file that is not on the site is named without a link.
  const close = siblings.slice(siblings.indexOf(token)).find(({ type }) => type === 'link_close');
  token.tag = 'span';
  token.attrs = [
    ['class', 'source'],
    ['title', `In the repository: ${placed.path}`],
  ];
  if (close) close.tag = 'span';
}

function block(token: Token | undefined, markdown: MarkdownIt): string {
  const { info = '', content = '' } = token ?? {};
  const escaped = markdown.utils.escapeHtml(content);
  if (info === 'mermaid') return `<pre class="mermaid">${escaped}</pre>\n`;
  return `<pre><code class="language-${markdown.utils.escapeHtml(info)}">${escaped}</code></pre>\n`;
}
