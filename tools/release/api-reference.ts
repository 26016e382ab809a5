// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireProgram } from '../image/require-program.ts';
import { ensurePart } from '../parts/index.ts';
import { outputOf } from '../process/run-program.ts';
import type { ArtefactKind } from './release.ts';
import { filesBelow, writeTarball } from './tarball.ts';

/** No time, no commit and no path of this machine in the pages. Types are checked by `npm run check`, not here. */
const settings = {
  entryPoints: 'packages/*/src/index.ts',
  tsconfig: 'tsconfig.json',
  name: 'etcd-operator',
  readme: 'none',
  logLevel: 'Error',
};
/**
 * Code has no colours: TypeDoc's highlighter gives up on a line after half a second, so that on a busy machine the same code would
 * get others.
 */
const uncoloured = ['typescript', 'ts', 'javascript', 'js', 'json', 'yaml', 'bash', 'sh', 'console'];
const switches = ['--skipErrorChecking', '--disableGit', '--disableSources', '--hideGenerator'];

/** What the packages export, as pages to read, made by TypeDoc. */
export const apiReference: ArtefactKind = {
  name: 'api-reference',
  async make({ root, out, version }) {
    const typedoc = requireProgram(await ensurePart('typedoc'), 'typedoc');
    const pages = await mkdtemp(join(tmpdir(), 'etcd-operator-reference-'));
    try {
      const options = Object.entries({ ...settings, out: pages }).flatMap(([name, value]) => [`--${name}`, value]);
      const plain = uncoloured.flatMap((language) => ['--ignoredHighlightLanguages', language]);
      await outputOf([process.execPath, typedoc, ...options, ...plain, ...switches], { cwd: root });
      const colours = await readFile(join(pages, 'assets', 'highlight.css'), 'utf8');
      if (colours.includes('.hl-0'))
        throw new Error('the API reference has coloured code: add its language to `uncoloured`');
      const name = `etcd-operator-${version}-api-reference`;
      await writeTarball(await filesBelow(pages, name), join(out, `${name}.tar.gz`));
    } finally {
      await rm(pages, { recursive: true, force: true });
    }
  },
};
