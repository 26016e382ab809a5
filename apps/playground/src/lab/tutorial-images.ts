// SPDX-License-Identifier: Apache-2.0
import { dirname, join, resolve } from 'node:path';
import {
  busyboxImages,
  createImage,
  hostImage,
  type Image,
  type ImageEntry,
  type ImageSet,
  type ProgramFiles,
} from '@operator-parts/kube-lab';

const root = resolve(import.meta.dirname, '../../../..');

/**
 * The images of the tutorials' pods, because the lab pulls none: stand-ins for other projects' images (a web server for
 * nginx, a shell with `bc` for the Job that computes pi), and the database of `example/statefulset-operator`.
 */
export function tutorialImages(busybox: ProgramFiles): readonly ImageSet[] {
  return [
    { repositories: ['nginx'], tags: { '*': nginxStandIn(busybox) } },
    { repositories: ['resouer/ubuntu-bc'], tags: { '*': bcStandIn() } },
    { repositories: ['key-value-store'], tags: { '*': keyValueStore() } },
  ];
}

function nginxStandIn(busybox: ProgramFiles): Image {
  const shell = busyboxImages(busybox).tags['*']?.files.entries ?? [];
  const bash: ImageEntry = { kind: 'file', path: '/bin/bash', text: '#!/bin/sh\nexec sh "$@"\n', executable: true };
  const page: ImageEntry = { kind: 'file', path: '/www/index.html', text: 'Welcome to nginx!\n' };
  return createImage({
    files: { entries: [...shell, bash, page] },
    entrypoint: [],
    // The first process of a container ignores signals without a handler.
    cmd: ['sh', '-c', 'trap "exit 0" TERM; busybox httpd -f -p 80 -h /www & wait'],
    env: {},
  });
}

/** Not busybox's shell, which would use its own bc: that takes minutes for ten thousand digits. */
const bcStandIn = () => nodeProgram('bc', 'apps/playground/src/programs/bc.ts');

const keyValueStore = () => nodeProgram('key-value-store', 'example/statefulset-operator/src/database/main.ts');

/** A program of this repository on PATH, in addition to those of the host. */
function nodeProgram(name: string, file: string): Image {
  const { files, entrypoint, env } = hostImage({
    directories: [root, dirname(process.execPath)],
    entrypoint: [],
    env: { PATH: '/programs:/usr/bin:/bin' },
  });
  const text = `#!/bin/sh\nexec '${process.execPath}' '${join(root, file)}' "$@"\n`;
  const launcher: ImageEntry = { kind: 'file', path: `/programs/${name}`, text, executable: true };
  return createImage({ files: { entries: [...files.entries, launcher] }, entrypoint, cmd: [name], env });
}
