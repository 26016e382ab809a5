// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { BundledPackage } from './bundled-packages.ts';

/** A file of an image that was not built from this repository. */
export interface BundledFile {
  readonly path: string;
  readonly sha256: string;
}

export interface Contents {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly BundledPackage[];
  /** @default none */
  readonly files?: readonly BundledFile[];
}

/**
 * The bill of materials of a shipped artifact, as CycloneDX 1.6 in JSON. The same contents give the same text: it
 * contains no time.
 */
export function billOfMaterials({ name, version, packages, files = [] }: Contents): string {
  const components = [...packages.map(packageComponent), ...files.map(fileComponent)];
  const application = { type: 'application', name, version, licenses: [{ expression: 'Apache-2.0' }] };
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([application, components]))}`,
    version: 1,
    metadata: { component: application },
    components,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function packageComponent({ name, version, licence, integrity }: BundledPackage) {
  return {
    type: 'library',
    name,
    version,
    // A scope's @ is %40 in a package URL.
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: licence }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
  };
}

function fileComponent({ path, sha256 }: BundledFile) {
  return { type: 'file', name: path, hashes: [{ alg: 'SHA-256', content: sha256 }] };
}

/** A UUID (version 8, from a hash), so that the serial number depends only on the contents. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
