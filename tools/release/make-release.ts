// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { apiReference } from './api-reference.ts';
import { bundle } from './bundle.ts';
import { chart } from './chart.ts';
import { sealRelease } from './checksums.ts';
import { documentation } from './documentation.ts';
import { image } from './image.ts';
import { manifests } from './manifests.ts';
import { releaseNotes } from './notes.ts';
import { packages } from './packages.ts';
import { plugin } from './plugin.ts';
import { type ArtefactKind, releaseOf } from './release.ts';
import { privateKeyIn } from './signing-key.ts';

/** Everything that is released. */
const everything: readonly ArtefactKind[] = [
  manifests,
  chart,
  bundle,
  documentation,
  packages,
  apiReference,
  plugin,
  image,
];

export interface MakeOptions {
  readonly root: string;
  readonly out: string;
  /** A private key in PEM. @default nothing is signed */
  readonly keyFile?: string | undefined;
  /** May the notes be those of "Unreleased"? */
  readonly allowUnreleased: boolean;
  /** @default everything */
  readonly kinds?: readonly ArtefactKind[] | undefined;
  readonly say: (line: string) => void;
}

/** Makes all artefacts, and puts them into place only when all are there: what was in the folder before is replaced. */
export async function makeRelease(options: MakeOptions): Promise<void> {
  const { root, out, keyFile, allowUnreleased, kinds = everything, say } = options;
  const key = keyFile === undefined ? undefined : await privateKeyIn(keyFile);
  const half = `${out}.half`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { recursive: true });
  const release = await releaseOf(root, half);
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  await writeFile(join(half, 'RELEASE-NOTES.md'), releaseNotes(changelog, release.version, { allowUnreleased }));
  for (const kind of kinds) {
    const started = performance.now();
    await kind.make(release);
    say(`${kind.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
  await sealRelease(release, key);
  await rm(out, { recursive: true, force: true });
  await mkdir(dirname(out), { recursive: true });
  await rename(half, out);
}
