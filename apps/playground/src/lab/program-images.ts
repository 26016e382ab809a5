// SPDX-License-Identifier: Apache-2.0
import { join, resolve } from 'node:path';
import { operatorImageName } from '@etcd-operator/operator';
import { createImage, type ImageSet, nodeProgramsImage, type ProgramFiles } from '@operator-parts/kube-lab';

const root = resolve(import.meta.dirname, '../../../..');
const code = ['apps', 'packages', 'example', 'node_modules'].map((folder) => join(root, folder));
const repositoryOf = (image: string) => image.split(':')[0] ?? image;

/** All programs of the operator's image, as in `npm run image`. */
const operatorPrograms = {
  'etcd-operator': 'apps/operator/src/programs/etcd-operator.ts',
  'etcd-backup-operator': 'apps/operator/src/programs/etcd-backup-operator.ts',
  'etcd-restore-operator': 'apps/operator/src/programs/etcd-restore-operator.ts',
  'etcd-restore-agent': 'apps/operator/src/programs/etcd-restore-agent.ts',
  'kubectl-etcd': 'apps/kubectl-etcd/src/programs/kubectl-etcd.ts',
};

/** The programs of the examples' Deployments. */
const examplePrograms = { 'sidecar-injector': 'example/sidecar-injector/src/main.ts' };

export interface ProgramImagesOptions {
  /** Folder of the host from which the restore operator may read backups. */
  readonly kept: string | undefined;
  readonly busybox: ProgramFiles;
}

/**
 * The images of this repository's programs, with the names in its manifests. They run from source: the next container
 * that starts has any change.
 */
export function programImages({ kept, busybox }: ProgramImagesOptions): readonly ImageSet[] {
  const directories = [...code, ...(kept === undefined ? [] : [kept])];
  const operator = nodeProgramsImage({ programs: fromRoot(operatorPrograms), directories });
  const injector = nodeProgramsImage({ programs: fromRoot(examplePrograms), directories: code });
  return [
    { repositories: [repositoryOf(operatorImageName)], tags: { '*': operator } },
    { repositories: ['sidecar-injector'], tags: { '*': injector } },
    { repositories: ['lyft/envoy', 'envoyproxy/envoy'], tags: { '*': envoyStandIn(busybox) } },
  ];
}

function fromRoot(programs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, join(root, file)]));
}

/** Envoy itself is not available: a stand-in prints its arguments and keeps running. */
function envoyStandIn(busybox: ProgramFiles) {
  const text = '#!/bin/busybox sh\necho "stand-in for envoy, started with: $*"\nexec /bin/busybox sleep 2147483647\n';
  return createImage({
    files: {
      entries: [
        { kind: 'bind', path: '/bin/busybox', source: busybox.programs['busybox'] ?? '' },
        ...Object.entries(busybox.libraries).map(([path, source]) => ({ kind: 'bind', path, source }) as const),
        { kind: 'file', path: '/usr/local/bin/envoy', text, executable: true },
      ],
    },
    entrypoint: ['/usr/local/bin/envoy'],
    cmd: [],
    env: {},
  });
}
