// SPDX-License-Identifier: Apache-2.0

/** Facts about one stored object. */
export interface BlobInfo {
  readonly key: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds since the epoch, by the store's clock. */
  readonly modifiedAt: number;
  /** Changes whenever the content does; its format differs between stores. */
  readonly etag: string | undefined;
  /** `PutOptions.mark` of the put that stored it, returned by `stat`; undefined if the store has no metadata. */
  readonly mark?: string | undefined;
}

/** A range of an object. Bytes beyond its end are not an error: the result is shorter, or empty. */
export interface ByteRange {
  readonly offset: number;
  /** @default to the end */
  readonly length?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** The progress of a `put`. */
export interface PutProgress {
  /** Read from the body so far. */
  readonly bytesRead: number;
  /** Acknowledged by the store so far. */
  readonly bytesStored: number;
}

/** Facts about a body after it was read to its end. */
export interface BodySummary {
  readonly bytes: number;
  /** SHA-256 of the whole body, hexadecimal. */
  readonly sha256: string;
}

export interface GetOptions extends CallOptions {
  /**
   * The expected SHA-256 of the requested bytes, hexadecimal. If it differs, the read ends with `ChecksumMismatch`; do
   * not use the bytes before that end.
   */
  readonly sha256?: string;
}

/**
 * How the store's content was verified:
 *
 * - `checksum`: the store returned its own checksum of all bytes, and it equals ours;
 * - `read-back`: the object was read again and hashed;
 * - `none`: at most the length was compared. Read the object before you rely on it.
 */
export type PutProof = 'checksum' | 'read-back' | 'none';

/** How the object under a key compares with the expected one: identical, different, or absent. */
export type Settled = 'stored' | 'different' | 'absent';

export interface SettleOptions extends CallOptions {
  /**
   * True if the object was just stored: `settle` then also rejects if the store does not show the requested lock.
   * @default false
   */
  readonly isNew?: boolean;
}

/**
 * Whether unfinished uploads were ended: `refused` if the credentials may not list or abort them, or the store cannot;
 * then some may remain.
 */
export type Cleared = 'cleared' | 'refused';

export interface PutOptions extends CallOptions {
  /**
   * Called after the last byte was sent and before the object becomes visible. If it throws, the upload is aborted, the
   * previous object is kept, and `put` rejects with that error.
   */
  readonly verify?: (summary: BodySummary) => void | Promise<void>;
  /**
   * SHA-256 of the whole body, hexadecimal, for a body that is hashed while it is read anyway. Called once, after the
   * body's end.
   * @default `put` computes the hash
   */
  readonly sha256?: () => string;
  /**
   * Reads the whole object again if the store returned no checksum that verifies it. If it differs, it is deleted and
   * `put` rejects with `ChecksumMismatch`.
   * @default true
   */
  readonly readBack?: boolean;
  /** Stores the object without the lock of the store: for objects that are deleted at once. @default false */
  readonly isUnlocked?: boolean;
  /**
   * Stored as metadata of the object if possible, so that `stat` shows which put stored it: unique for each put, and
   * not a secret.
   * @default a random one
   */
  readonly mark?: string;
  /** Called after every part, and at the end. Its errors are ignored. */
  readonly onProgress?: (progress: PutProgress) => void;
}

export interface PutResult extends BodySummary {
  readonly key: string;
  /** The number of requests for the body. */
  readonly parts: number;
  readonly etag: string | undefined;
  /** `none` only without `readBack`, or if the credentials do not allow reading. */
  readonly proof: PutProof;
}

/** Which uploads `sweep` may end. */
export interface SweepOptions extends CallOptions {
  /**
   * Says whether an upload to this key may be ended.
   * @default every upload to a key with the prefix
   */
  readonly isOwn?: (key: string) => boolean;
}

export interface PresignOptions extends CallOptions {
  /** Validity in seconds from now, a whole number up to 43200 (twelve hours). */
  readonly expiresIn: number;
}

/**
 * A presigned read of one object: an HTTP GET of `url` with `headers`, and no other headers except `range`. Its holder
 * can read that object until it expires, and nothing else; do not write it to a log or an error.
 */
export interface PresignedRead {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** CA certificates in PEM for the store, in addition to the system's. */
  readonly ca?: string;
}

/**
 * One bucket, container or directory.
 *
 * Guarantees:
 * - An object is complete or absent: an unfinished `put` is never visible under its key, nor listed.
 * - Memory is bounded, whatever the length of an object or a list.
 * - Temporary faults are retried a few times, with growing pauses; then the call rejects with a `BlobError`. Errors of
 *   the body or of `verify` are thrown by `put` unchanged.
 * - Only the configured host is contacted, and redirects are not followed.
 * - Success is reported only after the stored content was verified (`PutProof`).
 *
 * Keys are relative paths with forward slashes, at most 1024 bytes of UTF-8, without empty path components, `.`, `..`,
 * backslashes and control characters; other keys, and keys that this kind of store does not support, are refused with
 * `InvalidPath` before any request.
 */
export interface BlobStore {
  /** Its name for messages and logs, such as `s3://backups`. */
  readonly location: string;

  /**
   * The server's URL. Together with `location` it identifies the store: buckets with the same name are the same only on
   * the same server.
   */
  readonly server: string;

  /**
   * Throws `InvalidPath` if `put` would refuse this key, so that several keys can be checked before the first byte is
   * sent. Makes no request.
   */
  checkKey(key: string): void;

  /**
   * Stores a body of any length, which need not be known in advance. An existing object is replaced in one step, at the
   * very end. If the put fails, everything that was sent is removed. Before success is reported, the store is checked:
   * it must have this object, with its full length, verified as `PutResult.proof` says.
   *
   * Assumes one writer of a key at a time: it first ends unfinished uploads to the same key, which a process has left
   * that died.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>;

  /**
   * Reads an object or a range of it. A broken connection is resumed at the same byte, unless the object was replaced
   * meanwhile. Ends without an error only after exactly the requested bytes; a connection slower than
   * `slowestBytesPerSecond` counts as broken.
   */
  get(key: string, range?: ByteRange, options?: GetOptions): AsyncIterable<Uint8Array>;

  /**
   * Rejects with `NotFound` if there is no such object, and with `Denied` if the store does not say whether there is
   * one: S3 does this for missing objects if the credentials may not list. A `put` may still succeed.
   */
  stat(key: string, options?: CallOptions): Promise<BlobInfo>;

  /**
   * Reads the object under a key and tells whether it is the expected one: use it after an error with `outcomeUnknown`.
   * Rejects if that cannot be determined.
   */
  settle(key: string, expected: BodySummary, options?: SettleOptions): Promise<Settled>;

  /**
   * Creates a presigned read of this object for another process, valid for a short time. Makes no request, so it does
   * not check that the object exists. Undefined if this store, or its credentials, do not support it.
   *
   * Guarantees that the URL currently resolves only to addresses that the store itself may connect to. Assumes that the
   * holder follows no redirects. It expires earlier if the credentials that signed it do.
   */
  presign(key: string, options: PresignOptions): Promise<PresignedRead | undefined>;

  /**
   * Every object whose key starts with `prefix`, in the byte order of their keys, each once, fetched page by page. An
   * incorrect listing (it repeats a key, is out of order, has other keys, is incomplete or makes no progress) ends with
   * `BadListing`: do not delete anything because of it.
   */
  list(prefix: string, options?: CallOptions): AsyncIterable<BlobInfo>;

  /** Resolves if the object is gone, even if it never existed. */
  delete(key: string, options?: CallOptions): Promise<void>;

  /**
   * Ends unfinished uploads to keys that start with `prefix` and that began before `startedBefore` (milliseconds since
   * the epoch): killed processes leave such uploads. Resolves with their number. Azure and Google drop unfinished
   * uploads automatically.
   */
  sweep(prefix: string, startedBefore: number, options?: SweepOptions): Promise<number>;

  /**
   * Ends unfinished uploads to exactly this key, whenever they began, as far as the credentials allow: see `Cleared`.
   * Assumes that nothing writes this key meanwhile.
   */
  clear(key: string, options?: CallOptions): Promise<Cleared>;

  /** Closes connections. Do not call anything after it. */
  close(): void;
}
