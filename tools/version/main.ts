// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTree } from '../check/tree.ts';
import { complain, readCommandLine } from '../command-line.ts';
import { repositoryRoot } from '../repository-root.ts';
import { presentVersion, raiseVersion } from './raise-version.ts';

/** `npm run set-version -- 0.2.0`: writes another version wherever ours occurs. */
const usage = {
  command: 'npm run set-version',
  help: `npm run set-version -- X.Y.Z

Writes another version wherever ours stands: manifests of the workspaces, lock file, image tags, chart, golden files.
Then give the part "Unreleased" of CHANGELOG.md its heading, and run npm run check.
`,
};
const { positionals } = readCommandLine(usage, { allowPositionals: true });
const [version = '', ...more] = positionals;
if (more.length > 0 || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
  complain(usage, `"${positionals.join(' ')}" is no version like 0.2.0`);

const tree = openTree(repositoryRoot);
const before = presentVersion(tree);
const files = raiseVersion(tree, version);
for (const [file, text] of files) writeFileSync(join(repositoryRoot, file), text);
process.stdout.write(`${before} -> ${version} in ${files.size} files\n`);
