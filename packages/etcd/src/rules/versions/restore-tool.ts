// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, isAtLeast, versionOf } from './version.ts';

/** How a stored snapshot becomes a data directory under a version of etcd. */
export interface RestoreTool {
  /** The program, found beside etcd in its image. */
  readonly program: 'etcdutl' | 'etcdctl';
  /** Environment it needs; etcdctl before 3.4 speaks the v2 API unless told otherwise. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * True if it knows `--bump-revision` and `--mark-compacted`, with which watchers cannot miss that history was rewritten.
   * The second is required with the first and refused without it.
   */
  readonly bumpsRevision: boolean;
}

/**
 * The tool of the *target* version: since 3.6 the storage format is versioned, and an older program cannot open a newer
 * file (etcd fact 4). etcdutl exists from 3.5 on and is the only one from 3.6 on.
 */
export function restoreTool(version: EtcdVersion): RestoreTool {
  if (isAtLeast(version, versionOf('3.5.0'))) {
    return { program: 'etcdutl', env: {}, bumpsRevision: isAtLeast(version, versionOf('3.5.10')) };
  }
  const bumpsRevision = isAtLeast(version, versionOf('3.4.27'));
  return { program: 'etcdctl', env: { ETCDCTL_API: '3' }, bumpsRevision };
}
