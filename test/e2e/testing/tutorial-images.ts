// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { busyboxImage, type Image, nodeProgramImage } from '@etcd-operator/tools/image';

/** The images in the tutorials' chapters, for a cluster that pulls nothing. */
export async function tutorialImages(): Promise<readonly Image[]> {
  const library = (name: string) => `docker.io/library/${name}`;
  const busybox = await busyboxImage([library('busybox:latest')]);
  const web = await busyboxImage(['latest', '1.7.9', '1.9.1'].map((tag) => library(`nginx:${tag}`)));
  // Busybox chooses its command by its name, and has no bash.
  const script = '#!/bin/sh\nexec /bin/sh "$@"\n';
  const bash = { kind: 'file', path: '/bin/bash', content: Buffer.from(script), mode: 0o755 } as const;
  // Busybox's shell would use its own bc, which takes minutes.
  const shell = existsSync('/bin/dash') ? '/bin/dash' : '/bin/sh';
  const bc = await nodeImage('bc', 'docker.io/resouer/ubuntu-bc:latest', 'apps/playground/src/programs/bc.ts');
  return [
    busybox,
    {
      ...web,
      files: [...web.files, bash, { kind: 'directory', path: '/www' }],
      command: ['sh', '-c', 'trap "exit 0" TERM; httpd -f -p 80 -h /www & wait'],
    },
    { ...bc, files: [...bc.files, { kind: 'file', path: '/bin/sh', content: { source: shell }, mode: 0o755 }] },
    await nodeImage(
      'key-value-store',
      library('key-value-store:1.0.0'),
      'example/statefulset-operator/src/database/main.ts',
    ),
  ];
}

function nodeImage(program: string, name: string, entry: string): Promise<Image> {
  return nodeProgramImage({ names: [name], entry, program });
}
