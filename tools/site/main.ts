// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readCommandLine } from '../command-line.ts';
import { repositoryRoot as root } from '../repository-root.ts';
import { buildSite } from './build-site.ts';

/** `npm run docs`: builds the documentation as a site. */
const usage = {
  command: 'npm run docs',
  help: `npm run docs -- [--out FOLDER]

Builds the documentation as a site of static files with a search, into dist/docs. It needs no server: open dist/docs/index.html in a browser,
or copy the folder below any path of a web server. Ends with 1, and names every place, if a link or an anchor leads nowhere.
  --out FOLDER                 instead of dist/docs; empty, or with an earlier build that is replaced
`,
};
const { values } = readCommandLine(usage, { options: { out: { type: 'string' } } });
const out = resolve(root, values.out ?? 'dist/docs');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };

try {
  const { pages, links } = await buildSite(root, out, version);
  process.stdout.write(`${pages} pages with ${links} links between them -> ${relative(root, out)}/index.html\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
