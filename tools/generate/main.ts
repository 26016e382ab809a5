// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run generate`: asks a real kube-apiserver what its API looks like and writes what the packages need of that; the manifests of
 * deploy/ and example/ that follow from the declared kinds and the rights of the programs; and docs/reference.
 *
 * - `--check` writes nothing; the exit status says whether the committed files are what would be written.
 * - `--from committed` starts from the server's documents as they were committed and needs no server; `--from server` asks a real one.
 *   Writing asks the server unless told otherwise, checking does not.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deployFiles, deployFolders } from '../deploy/deploy-files.ts';
import { repositoryRoot } from '../repository-root.ts';
import { apiGroups } from './api-groups.ts';
import { startApiServer } from './api-server.ts';
import { type Capture, captureFrom } from './capture.ts';
import { committedCapture } from './committed-capture.ts';
import { folders, generatedFiles, labFolder } from './generated-files.ts';
import { kindPages } from './kind-pages.ts';
import { differences, writeAll } from './output.ts';
import { reasonPage } from './reason-page.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    from: { type: 'string' },
  },
});

const from = values.from ?? (values.check ? 'committed' : 'server');
if (from !== 'committed' && from !== 'server') {
  process.stderr.write(`generate: --from takes "server" or "committed", not "${from}"\n`);
  process.exit(2);
}
const files = [
  ...generatedFiles(from === 'server' ? await askServer() : await readCommitted()),
  ...deployFiles(),
  reasonPage(repositoryRoot),
  ...kindPages(),
];
const allFolders = [...folders, ...deployFolders, 'docs/reference'];
if (values.check) {
  const different = await differences(repositoryRoot, allFolders, files);
  for (const line of different) process.stderr.write(`${line}\n`);
  process.exitCode = different.length > 0 ? 1 : 0;
} else {
  await writeAll(repositoryRoot, allFolders, files);
}

function readCommitted(): Promise<Capture> {
  return committedCapture(join(repositoryRoot, labFolder), apiGroups);
}

async function askServer(): Promise<Capture> {
  await using server = await startApiServer();
  return await captureFrom(server, apiGroups);
}
