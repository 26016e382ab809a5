// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run generate`: reads the API of a real kube-apiserver and writes what the packages need of it; the manifests of
 * deploy/ and example/ that follow from the declared kinds and the rights of the programs; and docs/reference.
 *
 * - `--check` writes nothing; the exit status says whether the committed files are up to date.
 * - `--from committed` uses the committed documents and needs no server; `--from server` uses a real one.
 *
 * By default, writing uses the server and checking does not.
 */
import { join } from 'node:path';
import { startApiServer } from '../api-server/api-server.ts';
import { complain, readCommandLine } from '../command-line.ts';
import { deployFiles, deployFolders } from '../deploy/deploy-files.ts';
import { repositoryRoot } from '../repository-root.ts';
import { checksPage } from '../security/checks-page.ts';
import { labGroups } from './api-groups.ts';
import { type Capture, captureFrom } from './capture.ts';
import { committedCapture } from './committed-capture.ts';
import { faultPage } from './fault-page.ts';
import { folders, generatedFiles, labFolder } from './generated-files.ts';
import { kindPages } from './kind-pages.ts';
import { metricPage } from './metric-page.ts';
import { differences, writeAll } from './output.ts';
import { reasonPage, remedies, remedyFolder } from './reason-page.ts';

const usage = {
  command: 'npm run generate',
  help: `npm run generate -- [--check] [--from server|committed]

Writes the generated files: types and schemas from a real kube-apiserver, manifests, chart and reference pages.
  --check                      writes nothing, and says which files would change
  --from committed             uses the server's documents as they were committed, and starts no server
`,
};
const { values } = readCommandLine(usage, {
  options: {
    check: { type: 'boolean', default: false },
    from: { type: 'string' },
  },
});

const from = values.from ?? (values.check ? 'committed' : 'server');
if (from !== 'committed' && from !== 'server') complain(usage, `--from takes "server" or "committed", not "${from}"`);
const files = [
  ...generatedFiles(from === 'server' ? await askServer() : await readCommitted()),
  ...deployFiles(),
  reasonPage(repositoryRoot),
  remedies(repositoryRoot),
  metricPage(repositoryRoot),
  checksPage(),
  faultPage(repositoryRoot),
  ...kindPages(),
];
const allFolders = [...folders, ...deployFolders, remedyFolder, 'docs/reference'];
if (values.check) {
  const different = await differences(repositoryRoot, allFolders, files);
  for (const line of different) process.stderr.write(`${line}\n`);
  process.exitCode = different.length > 0 ? 1 : 0;
} else {
  await writeAll(repositoryRoot, allFolders, files);
}

function readCommitted(): Promise<Capture> {
  return committedCapture(join(repositoryRoot, labFolder), labGroups);
}

async function askServer(): Promise<Capture> {
  await using server = await startApiServer();
  return await captureFrom(server, labGroups);
}
