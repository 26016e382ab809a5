// SPDX-License-Identifier: Apache-2.0

/** A real program, ready to run. Its files never change; a new version is in a new directory. */
export interface Part {
  /** The requested name, such as 'etcd@3.6'. */
  readonly name: string;
  /** The exact version, such as '3.6.16'. */
  readonly version: string;
  /** Absolute path of the directory with the programs (and nothing of other parts). */
  readonly directory: string;
  /** Program name -> absolute path. */
  readonly programs: Readonly<Record<string, string>>;
  /**
   * Path inside an image -> absolute path of the file here: the loader and the libraries of dynamically linked
   * programs. Empty for static programs.
   */
  readonly libraries: Readonly<Record<string, string>>;
}

/** Options for providing a part. */
export interface PartOptions {
  /** @default $ETCD_OPERATOR_CACHE, else $XDG_CACHE_HOME/etcd-operator, else ~/.cache/etcd-operator */
  readonly cacheDirectory?: string;
  /**
   * Called with one line at the start, at the end, and every 15 s in between; not for a cached part.
   * @default silent
   */
  readonly report?: (line: string) => void;
  /**
   * Ends the build with its child processes, and removes its files.
   * @default SIGINT, SIGTERM and SIGHUP do, and then end this process, unless it listens to them itself
   */
  readonly signal?: AbortSignal;
  /** True if matching, statically linked programs on PATH may be used instead of a build (etcd only). @default true */
  readonly fromPath?: boolean;
}

/** Why a part could not be provided. */
export type PartErrorCode =
  | 'UnknownPart'
  | 'MissingPrerequisite'
  | 'UnsupportedPlatform'
  | 'BuildFailed'
  | 'DownloadFailed'
  | 'ChecksumMismatch'
  | 'VerificationFailed'
  | 'NoSpace'
  | 'CacheUnusable'
  | 'Aborted';

/** The only error class of this folder. The message is one sentence that says what to do next. */
export class PartError extends Error {
  override readonly name = 'PartError';
  readonly code: PartErrorCode;

  constructor(code: PartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
