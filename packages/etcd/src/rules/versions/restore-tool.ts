// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, isAtLeast, versionOf } from './version.ts';

/** How a version of etcd restores a snapshot to a data directory. */
export interface RestoreTool {
  /** The program in etcd's image. */
  readonly program: 'etcdutl' | 'etcdctl';
  /** The environment of the program: etcdctl before 3.4 uses the v2 API by default. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * True if it supports `--bump-revision` and `--mark-compacted`, with which watchers notice that history was
   * rewritten. The two flags require each other.
   */
  readonly bumpsRevision: boolean;
}

/**
 * The tool of the version that the restored cluster will run: since 3.6 the storage format has a version, and an older
 * program cannot open a newer file (etcd fact 4). etcdutl exists from 3.5 on and is the only tool from 3.6 on.
 */
export function restoreTool(version: EtcdVersion): RestoreTool {
  if (isAtLeast(version, versionOf('3.5.0'))) {
    return { program: 'etcdutl', env: {}, bumpsRevision: isAtLeast(version, versionOf('3.5.10')) };
  }
  const bumpsRevision = isAtLeast(version, versionOf('3.4.27'));
  return { program: 'etcdctl', env: { ETCDCTL_API: '3' }, bumpsRevision };
}
