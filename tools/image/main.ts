// SPDX-License-Identifier: Apache-2.0
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';
import { layOut } from './lay-out.ts';
import { writeOciArchive } from './oci-archive.ts';
import { operatorImage, operatorPrograms } from './operator-image.ts';

/**
 * `npm run image [-- --out file]`: the operator's image as an OCI archive, without a container engine. With `--files folder` the programs
 * alone, laid out as in the image, for the Containerfile to put on another base.
 */
const { values } = parseArgs({ options: { out: { type: 'string' }, files: { type: 'string' } } });

if (values.files !== undefined) await layOut(await operatorPrograms(), resolve(values.files));
else await archive(resolve(repositoryRoot, values.out ?? 'dist/etcd-operator.oci.tar'));

async function archive(file: string): Promise<void> {
  const image = await operatorImage();
  await mkdir(dirname(file), { recursive: true });
  const { layerBytes, digest } = await writeOciArchive(image, file);
  process.stdout.write(`${image.names.join(' ')} (${(layerBytes / 1e6).toFixed(1)} MB, ${digest}) -> ${file}\n`);
}
