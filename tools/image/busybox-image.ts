// SPDX-License-Identifier: Apache-2.0
import { ensurePart, type PartOptions } from '../parts/index.ts';
import { outputOf } from '../process/run-program.ts';
import { type Image, type ImageFile, program, text } from './image.ts';
import { requireProgram } from './require-program.ts';

/** The default image of the operator's init container. */
export const defaultBusyboxName = 'docker.io/library/busybox:1.28.0-glibc';

/** A small userland with any image names: a shell and the tools of busybox, statically linked. */
export async function busyboxImage(
  names: readonly string[] = [defaultBusyboxName],
  options: PartOptions = {},
): Promise<Image> {
  return {
    names,
    files: [
      ...(await busyboxFiles(options)),
      text('/etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n'),
      text('/etc/group', 'root:x:0:\nnobody:x:65534:\n'),
      { kind: 'directory', path: '/root', mode: 0o700 },
      { kind: 'directory', path: '/tmp', mode: 0o1777 },
    ],
    command: ['sh'],
  };
}

/** busybox and a link for each of its tools at the usual paths. */
export async function busyboxFiles(options: PartOptions = {}): Promise<readonly ImageFile[]> {
  const busybox = requireProgram(await ensurePart('busybox', options), 'busybox');
  const stdout = await outputOf([busybox, '--list-full']);
  const tools = stdout.split('\n').filter((path) => path !== '' && path !== 'bin/busybox' && path !== 'linuxrc');
  return [
    program('/bin/busybox', busybox),
    ...tools.map((path): ImageFile => ({ kind: 'link', path: `/${path}`, target: '/bin/busybox' })),
  ];
}
