// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';
import { type BundledFile, billOfMaterials } from '../supply-chain/bill-of-materials.ts';
import { checkedOut } from '../supply-chain/checked-out.ts';
import { type Envelope, seal, unseal } from '../supply-chain/envelope.ts';
import { provenance } from '../supply-chain/provenance.ts';
import { sha256Of } from '../supply-chain/sha256.ts';
import type { Image } from './image.ts';

/**
 * Writes a bill of materials and the provenance beside an archive, the latter signed if there is a key. Returns the
 * written files.
 *
 * @param keyFile a private key in PEM
 */
export async function attest(image: Image, archive: string, keyFile?: string): Promise<readonly string[]> {
  const version = image.labels?.['org.opencontainers.image.version'] ?? '';
  const [billFile, statementFile] = [`${archive}.cdx.json`, `${archive}.intoto.json`];
  await writeFile(billFile, await imageBill(image));
  const statement = provenance({
    artifacts: { [basename(archive)]: await sha256Of(archive), [basename(billFile)]: await sha256Of(billFile) },
    command: 'npm run image',
    repository: await repositoryUrl(),
    ...(await checkedOut(repositoryRoot)),
    lockFile: await sha256Of(join(repositoryRoot, 'package-lock.json')),
    version,
  });
  const written = keyFile === undefined ? statement : seal(statement, createPrivateKey(await readFile(keyFile)));
  await writeFile(statementFile, `${JSON.stringify(written, null, 2)}\n`);
  return [billFile, statementFile];
}

/** The bill of materials of an image, as a CycloneDX document. */
export async function imageBill(image: Image): Promise<string> {
  const { names, labels, packages = [] } = image;
  const version = labels?.['org.opencontainers.image.version'] ?? '';
  return billOfMaterials({ name: names[0] ?? '', version, packages, files: await bundledFiles(image) });
}

/**
 * Verifies an archive against the provenance beside it, and its signature with a public key. Returns what was verified;
 * throws if anything differs.
 */
export async function verifyAttested(archive: string, publicKeyFile: string): Promise<string> {
  const envelope = JSON.parse(await readFile(`${archive}.intoto.json`, 'utf8')) as Envelope | { payload?: never };
  if (envelope.payload === undefined) throw new Error('its provenance is not signed');
  const statement = unseal(envelope, createPublicKey(await readFile(publicKeyFile))) as {
    readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  };
  for (const file of [archive, `${archive}.cdx.json`]) {
    const stated = statement.subject.find(({ name }) => name === basename(file))?.digest.sha256;
    if (stated === undefined) throw new Error(`the provenance does not name ${basename(file)}`);
    const found = await sha256Of(file);
    if (stated !== found) throw new Error(`${basename(file)} has the digest ${found}, the provenance says ${stated}`);
  }
  return `${basename(archive)} and its bill of materials are what the holder of the key built`;
}

/** Files of this machine or of packages that are copied to the image unchanged. */
async function bundledFiles({ files }: Image): Promise<readonly BundledFile[]> {
  const found: BundledFile[] = [];
  for (const file of files) {
    if (file.kind !== 'file' || file.content instanceof Uint8Array) continue;
    found.push({ path: file.path, sha256: await sha256Of(file.content.source) });
  }
  return found;
}

async function repositoryUrl(): Promise<string> {
  const { repository } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as {
    readonly repository: { readonly url: string };
  };
  return repository.url.replace(/^git\+|\.git$/g, '');
}
