// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PartTable } from '../recipes/recipe.ts';
import { type Ended, ended, goodBuild, goThat, Scene, tiny } from '../testing/scene.ts';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.create();
});
afterEach(() => scene.remove());

/**
 * Runs the command line with a cache on a disk of 1 MiB, in a separate mount namespace; afterwards it lists the
 * remaining files, each name after a '+'.
 */
async function onSmallDisk(table: PartTable, build: string): Promise<Ended> {
  await mkdir(scene.cache);
  const script = `mount -t tmpfs -o size=1m tmpfs "$ETCD_OPERATOR_CACHE" || exit 99
"$@"; status=$?
ls -A "$ETCD_OPERATOR_CACHE/parts" "$ETCD_OPERATOR_CACHE/parts/.locks" | sed -n '/^[^/]/s/^/+/p'
exit $status`;
  const command = await scene.commandLine(table, ['tiny']);
  const PATH = await scene.pathWith({ go: goThat(build) });
  const child = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...command], {
    env: scene.environment({ PATH }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  scene.children.push(child);
  return ended(child);
}

test('a disk that is too small is noticed before anything is begun', async () => {
  const end = await onSmallDisk({ tiny: { ...tiny, bytesNeeded: 5_000_000 } }, goodBuild);
  expect(end).toMatchObject({ status: 1, stdout: '+.locks\n' });
  expect(end.stderr).toMatch(
    /^etcd-operator: tiny needs 5000000 bytes \(5\.0 MB\) in \S+\/cache\/parts, where 1048576 bytes \(1\.0 MB\) are free: free some space, or set ETCD_OPERATOR_CACHE to a directory on a larger disk\n$/,
  );
});

test('a disk that becomes full while a tool writes ends with one sentence and is left empty', async () => {
  const end = await onSmallDisk({ tiny }, 'dd if=/dev/zero of="$out" bs=1M count=4 || exit 1');
  expect(end).toMatchObject({ status: 1, stdout: '+.locks\n' });
  expect(end.stderr).toMatch(
    /the disk became full while tiny was being made, which needs 1000 bytes .* in \S+\/cache\/parts: free/,
  );
  expect(end.stderr).toContain('No space left on device');
});

test('a disk that is full up to the last byte when our own files are written ends the same way', async () => {
  const fill = `${goodBuild}; dd if=/dev/zero of="$(dirname "$out")/fill" bs=4k 2>/dev/null; true`;
  const end = await onSmallDisk({ tiny }, fill);
  expect(end).toMatchObject({ status: 1, stdout: '+.locks\n' });
  expect(end.stderr).toContain('the disk became full while tiny was being made');
});
