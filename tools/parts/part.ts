// SPDX-License-Identifier: Apache-2.0

/** A real part, ready to run. Its files are never changed once it is returned; a new version is a new directory. */
export interface Part {
  /** The name it was asked for by, such as 'etcd@3.6'. */
  readonly name: string;
  /** The exact version, such as '3.6.16'. */
  readonly version: string;
  /** Absolute path of the directory that holds the programs (and nothing of any other part). */
  readonly directory: string;
  /** Program name -> absolute path. */
  readonly programs: Readonly<Record<string, string>>;
  /**
   * Path inside an image -> absolute path of the file here: the loader and the libraries that dynamically linked programs
   * need. Empty for static programs.
   */
  readonly libraries: Readonly<Record<string, string>>;
}

/** How a part is made sure of. */
export interface PartOptions {
  /** @default $ETCD_OPERATOR_CACHE, else $XDG_CACHE_HOME/etcd-operator, else ~/.cache/etcd-operator */
  readonly cacheDirectory?: string;
  /** Receives one line at the start, at the end, and every 15 s in between; nothing for a cached part. @default silent */
  readonly report?: (line: string) => void;
  /**
   * Ends the build, its child processes included, and leaves nothing behind. @default SIGINT, SIGTERM and SIGHUP do, and then end
   * this process, unless it listens to them itself
   */
  readonly signal?: AbortSignal;
  /** May fitting, statically linked programs found on PATH stand in for a build (etcd only)? @default true */
  readonly fromPath?: boolean;
}

/** Why a part could not be had. */
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

/** The one error of this folder. The message is one sentence that says what to do next. */
export class PartError extends Error {
  override readonly name = 'PartError';
  readonly code: PartErrorCode;

  constructor(code: PartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
