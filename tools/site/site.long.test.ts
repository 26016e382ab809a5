// SPDX-License-Identifier: Apache-2.0
/** The site, built and opened in a real browser: from a folder, and from a web server below a path. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { buildSite } from './build-site.ts';
import { openBrowser } from './testing/browser.ts';

const out = mkdtempSync(join(tmpdir(), 'site-'));
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

const server = createServer((request, response) => {
  const path = normalize((request.url ?? '').split(/[?#]/)[0] ?? '');
  try {
    const body = readFileSync(join(out, path.replace(/^\/some\/path\//, '')));
    response.setHeader('content-type', types[extname(path)] ?? 'image/svg+xml').end(body);
  } catch {
    response.writeHead(404).end();
  }
});

let browser: Browser;
const places: Record<string, string> = { 'a folder': `${pathToFileURL(out).href}/` };
beforeAll(async () => {
  await buildSite(repositoryRoot, out, 'tested');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  places['a server'] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/some/path/`;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  server.close();
  rmSync(out, { recursive: true, force: true });
});

/** Opens a page and collects its errors. */
async function open(place: string, file: string, look: Parameters<Browser['newPage']>[0] = {}) {
  const page = await browser.newPage({ reducedMotion: 'reduce', ...look });
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('requestfailed', (request) => wrong.push(request.url()));
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.url().endsWith('favicon.ico')) wrong.push(response.url());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(places[place] ?? '?') && !request.url().endsWith('favicon.ico'))
      wrong.push(`asks elsewhere: ${request.url()}`);
  });
  await page.goto(`${places[place]}${file}`);
  return { page, wrong };
}

/** True if the page is wider than the window. */
const isTooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth') as Promise<boolean>;

describe.each(['a folder', 'a server'])('from %s', (place) => {
  test('search finds a runbook by its words, and Enter opens it', async () => {
    const { page, wrong } = await open(place, 'reference/metrics.html');
    await page.fill('.search input', 'quorum lost');
    await page.waitForSelector('.search li a');
    await page.press('.search input', 'Enter');
    await page.waitForURL('**/runbooks/quorum-lost.html*');
    expect(await page.textContent('h1')).toContain('quorum lost');
    await page.fill('.search input', 'qqqqzzzz');
    await page.waitForSelector('.search li.none');
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('diagrams are drawn, and pictures shown', async () => {
    for (const [file, count] of [
      ['guide/diagrams.html', 3],
      ['guide/runbooks/night.html', 1],
      ['architecture.html', 2],
    ] as const) {
      const { page, wrong } = await open(place, file);
      await page.waitForFunction(`document.querySelectorAll('pre.mermaid svg').length === ${count}`);
      expect(await page.textContent('main')).not.toContain('Syntax error');
      expect(wrong).toEqual([]);
      await page.close();
    }
    const { page } = await open(place, 'project/readme.html');
    expect(await page.evaluate("document.querySelector('main img').naturalWidth > 0")).toBe(true);
    await page.close();
  });
});

describe('how it looks', () => {
  test('on a phone nothing is wider than the screen, and the menu opens', async () => {
    const tooWide: string[] = [];
    for (const file of ['index.html', 'guide/runbooks/night.html', 'guide/backup.html', 'reference/metrics.html']) {
      const { page } = await open('a folder', file, { viewport: { width: 375, height: 700 } });
      if (await isTooWide(page)) tooWide.push(file);
      expect(await page.isVisible('nav')).toBe(false);
      await page.click('.menu');
      expect(await page.isVisible('nav')).toBe(true);
      await page.close();
    }
    expect(tooWide).toEqual([]);
  });

  test('dark and light follow the reader', async () => {
    const paper = async (colorScheme: 'light' | 'dark') => {
      const { page } = await open('a folder', 'index.html', { colorScheme });
      const colour = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      await page.close();
      return colour;
    };
    expect(await paper('light')).toBe('rgb(255, 255, 255)');
    expect(await paper('dark')).toBe('rgb(20, 24, 29)');
  });

  test('a command is copied without its button', async () => {
    const { page } = await open('a server', 'guide/runbooks/night.html');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('.copy');
    await page.waitForSelector('text=Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'kubectl etcd doctor -A || true\nkubectl etcd list -A\n',
    );
    await page.close();
  });
});
