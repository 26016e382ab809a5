// SPDX-License-Identifier: Apache-2.0
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { complain, readCommandLine } from '../command-line.ts';
import { repositoryRoot } from '../repository-root.ts';
import { attest, verifyAttested } from './attest.ts';
import { sidecarInjectorImage } from './example-images.ts';
import type { Image } from './image.ts';
import { layOut } from './lay-out.ts';
import { writeOciArchive } from './oci-archive.ts';
import { operatorImage } from './operator-image.ts';
import { architectures, pinnedRuntime } from './pinned-node.ts';

/** Images by name: their builders, and their file names. */
const images: Readonly<Record<string, { readonly file: string; make(): Promise<Image> }>> = {
  operator: { file: 'etcd-operator', make: () => operatorImage() },
  'sidecar-injector': { file: 'sidecar-injector', make: sidecarInjectorImage },
};

/**
 * `npm run image [-- name] [--out file]`: the operator's image, or that of an example, as an OCI archive, without a
 * container engine. With `--files folder` the files of the operator's image, in a folder per architecture, for the
 * Containerfile.
 */
const usage = {
  command: 'npm run image',
  help: `npm run image -- [sidecar-injector] [--out FILE | --files FOLDER] [--key FILE]
npm run image -- --verify FILE --key FILE

Writes the operator's image, or that of an example, as an OCI archive, without a container engine; beside it what it consists of
(.cdx.json, CycloneDX) and what it was built from (.intoto.json, SLSA provenance).
  --out FILE                   instead of dist/etcd-operator.oci.tar
  --files FOLDER               its files as they are in the image, in FOLDER/amd64 and FOLDER/arm64, for the Containerfile
  --key FILE                   private key in PEM (Ed25519 or ECDSA on P-256) that signs the provenance
  --verify FILE                compares an archive with its provenance, and that with the public key of --key
`,
};
const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    files: { type: 'string' },
    key: { type: 'string' },
    verify: { type: 'string' },
  },
});

const [name = 'operator'] = positionals;
const chosen = Object.hasOwn(images, name) ? images[name] : undefined;
if (values.verify !== undefined) await verifyArchive(values.verify, values.key);
else if (values.files !== undefined) await layOutImage(resolve(values.files));
else if (chosen) await archive(await chosen.make(), values.out ?? `dist/${chosen.file}.oci.tar`);
else {
  process.stderr.write(`there is no image "${name}"; known are ${Object.keys(images).join(', ')}\n`);
  process.exitCode = 2;
}

async function archive(image: Image, out: string): Promise<void> {
  const file = resolve(repositoryRoot, out);
  await mkdir(dirname(file), { recursive: true });
  const { layerBytes, digest } = await writeOciArchive(image, file);
  process.stdout.write(`${image.names.join(' ')} (${(layerBytes / 1e6).toFixed(1)} MB, ${digest}) -> ${file}\n`);
  for (const written of await attest(image, file, values.key)) process.stdout.write(`-> ${written}\n`);
}

/** The same as in the release. The names of the folders are the architectures in the notation of container engines. */
async function layOutImage(folder: string): Promise<void> {
  for (const architecture of architectures) {
    const { files } = await operatorImage(repositoryRoot, () => pinnedRuntime(architecture, repositoryRoot));
    await layOut(files, join(folder, architecture));
  }
}

async function verifyArchive(file: string, key: string | undefined): Promise<void> {
  if (key === undefined) complain(usage, '--verify needs --key with the public key of the builder of the image');
  try {
    process.stdout.write(`${await verifyAttested(resolve(file), resolve(key))}\n`);
  } catch (error) {
    process.stderr.write(`${file} is not to be trusted: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
