// SPDX-License-Identifier: Apache-2.0
import { busyboxEntries, type ProgramFiles } from './busybox-image.ts';
import type { Image, ImageEntry } from './image.ts';
import { createImage, type ImageSet } from './image-table.ts';

/** One version of etcd on the host. */
export interface EtcdFiles extends ProgramFiles {
  /** `3.6.16`. */
  readonly version: string;
}

const programs = ['etcd', 'etcdctl', 'etcdutl'];

/**
 * etcd's images in both repositories, tagged `vX.Y.Z`. As in the real images, versions up to 3.4 have a shell and newer
 * ones have none. Under the tag `vX.Y.Z-shell`, every version has a shell. Without `busybox`, none has.
 */
export function etcdImages(versions: readonly EtcdFiles[], busybox?: ProgramFiles): ImageSet {
  const tags = new Map<string, Image>();
  for (const etcd of versions) {
    const bare = etcdImage(etcd, undefined);
    const withShell = busybox ? etcdImage(etcd, busybox) : bare;
    const [major = 0, minor = 0] = etcd.version.split('.').map(Number);
    tags.set(`v${etcd.version}`, major === 3 && minor <= 4 ? withShell : bare);
    tags.set(`v${etcd.version}-shell`, withShell);
  }
  return {
    repositories: ['quay.io/coreos/etcd', 'gcr.io/etcd-development/etcd'],
    tags: Object.fromEntries(tags),
  };
}

function etcdImage(etcd: EtcdFiles, shell: ProgramFiles | undefined): Image {
  const binaries = programs.flatMap((name): ImageEntry[] => {
    const source = etcd.programs[name];
    return source ? [{ kind: 'bind', path: `/usr/local/bin/${name}`, source }] : [];
  });
  const libraries = Object.entries(etcd.libraries).map(([path, source]) => ({ kind: 'bind', path, source }) as const);
  const base = shell ? busyboxEntries(shell) : [];
  const taken = new Set([...binaries, ...libraries].map(({ path }) => path));
  return createImage({
    files: {
      entries: [
        ...base.filter(({ path }) => !taken.has(path)),
        ...binaries,
        ...libraries,
        { kind: 'directory', path: '/var/etcd' },
        { kind: 'directory', path: '/var/lib/etcd' },
        // Without this file, the resolver of etcd versions that are dynamically linked (the older ones) sends no
        // queries.
        { kind: 'file', path: '/etc/nsswitch.conf', text: 'hosts: files dns\n' },
      ],
    },
    entrypoint: [],
    cmd: ['/usr/local/bin/etcd'],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    workingDirectory: '/var/lib/etcd',
  });
}
