// SPDX-License-Identifier: Apache-2.0
import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '@operator-parts/kube-lab';
import { objectStore } from './object-store.ts';

/** The content of the playground's S3 server, kept in a folder. */
const storeFolder = (directory: string) => join(directory, 'store');

/** Copies the content of the store to the folder. The previous content is kept until the copy is complete. */
export async function keepStore(lab: Lab, directory: string): Promise<void> {
  const source = volumeOf(lab);
  if (source === undefined) return;
  const [part, kept] = [`${storeFolder(directory)}.part`, storeFolder(directory)];
  await rm(part, { recursive: true, force: true });
  await cp(source, part, { recursive: true });
  await rm(kept, { recursive: true, force: true });
  await rename(part, kept);
}

/** Copies the kept content to a running store; resolves with the names of the playground's own backups in it. */
export async function bringBackStore(lab: Lab, directory: string): Promise<readonly string[]> {
  const target = volumeOf(lab);
  const kept = storeFolder(directory);
  const names = await readdir(join(kept, 'root', objectStore.bucket)).catch(ifAbsent);
  if (names === undefined || target === undefined) return [];
  await cp(kept, target, { recursive: true });
  return names;
}

/** Undefined while there is no store. */
function volumeOf(lab: Lab): string | undefined {
  try {
    return lab.faults.disk.path(objectStore.pod, objectStore.volume);
  } catch {
    return undefined;
  }
}

function ifAbsent(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
}
