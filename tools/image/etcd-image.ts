// SPDX-License-Identifier: Apache-2.0
import { ensurePart, type Part, type PartOptions } from '../parts/index.ts';
import { busyboxFiles } from './busybox-image.ts';
import { type Image, type ImageFile, program } from './image.ts';

/** The repositories of etcd's own images; CoreOS etcd-operator uses the first. */
const repositories = ['quay.io/coreos/etcd', 'gcr.io/etcd-development/etcd'] as const;

/** The etcd versions with a part, in the names of `ensurePart`, oldest first. */
export const etcdParts = ['etcd@3.3', 'etcd@3.4', 'etcd@3.5', 'etcd@3.6', 'etcd@3.7'] as const;
export type EtcdPart = (typeof etcdParts)[number];

export interface EtcdImageOptions extends PartOptions {
  /** Contains a shell and its tools, as etcd's images did up to 3.5.6. @default true up to 3.5.6, false after */
  readonly shell?: boolean;
  /** Names in addition to the usual two. */
  readonly names?: readonly string[];
}

/** etcd of one version with its tools, with the names of its official images. */
export async function etcdImage(name: EtcdPart, options: EtcdImageOptions = {}): Promise<Image> {
  const part = await ensurePart(name, options);
  const shell = options.shell ?? hadShell(part.version);
  return {
    names: [...repositories.map((repository) => `${repository}:v${part.version}`), ...(options.names ?? [])],
    files: [
      ...etcdFiles(part),
      ...(shell ? await busyboxFiles(options) : []),
      { kind: 'directory', path: '/var/etcd' },
      { kind: 'directory', path: '/var/lib/etcd' },
      { kind: 'directory', path: '/tmp', mode: 0o1777 },
    ],
    command: ['/usr/local/bin/etcd'],
    // etcd up to 3.4 runs on other architectures than amd64 only with this variable.
    ...(process.arch === 'x64' ? {} : { environment: [`ETCD_UNSUPPORTED_ARCH=${process.arch}`] }),
  };
}

function etcdFiles({ programs, libraries }: Part): readonly ImageFile[] {
  return [
    ...Object.entries(programs).map(([name, source]) => program(`/usr/local/bin/${name}`, source)),
    ...Object.entries(libraries).map(([path, source]) => program(path, source)),
  ];
}

/** True if the official image of this version has a shell. */
export function hadShell(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major < 3 || (major === 3 && (minor < 5 || (minor === 5 && patch <= 6)));
}
