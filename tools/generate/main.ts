// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run generate`: asks a real kube-apiserver what its API looks like and writes what the packages need of that. With `--check` nothing
 * is written, and the exit status says whether the committed files are what the server says.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { apiGroups } from './api-groups.ts';
import { startApiServer } from './api-server.ts';
import { captureFrom } from './capture.ts';
import { kubeTypes } from './kube-types.ts';
import { labDocuments } from './lab-documents.ts';
import { differences, type OutputFile, writeAll } from './output.ts';
import { patchSchemas } from './patch-schemas.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const kubeFolder = 'packages/kube/src/generated';
const labFolder = 'packages/kube-lab/src/generated';
const folders = [kubeFolder, labFolder];

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    etcd: { type: 'string' },
    'kube-apiserver': { type: 'string' },
  },
});

const files = await generate();
if (values.check) {
  const different = await differences(root, folders, files);
  for (const line of different) process.stderr.write(`${line}\n`);
  if (different.length > 0) process.stderr.write('Run `npm run generate` and commit the result.\n');
  process.exitCode = different.length > 0 ? 1 : 0;
} else {
  await writeAll(root, folders, files);
}

async function generate(): Promise<OutputFile[]> {
  const etcd = values.etcd ?? '';
  const kubeApiserver = values['kube-apiserver'] ?? '';
  await using server = await startApiServer({ etcd, kubeApiserver });
  const capture = await captureFrom(server, apiGroups);
  return [
    ...kubeTypes(capture, apiGroups, kubeFolder),
    patchSchemas(capture, `${kubeFolder}/patch-schemas.ts`),
    ...labDocuments(capture, labFolder),
  ];
}
