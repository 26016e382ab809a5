// SPDX-License-Identifier: Apache-2.0

/** What is known of one stored object. */
export interface BlobInfo {
  readonly key: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds since the epoch, by the store's clock. */
  readonly modifiedAt: number;
  /** Changes whenever the content does; two stores never agree on its form. */
  readonly etag: string | undefined;
}

/** A part of an object. Bytes beyond its end are not an error: there is just less, or nothing. */
export interface ByteRange {
  readonly offset: number;
  /** @default up to the end */
  readonly length?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** How far a `put` has come. */
export interface PutProgress {
  /** Taken from the body so far. */
  readonly bytesRead: number;
  /** Acknowledged by the store so far. */
  readonly bytesStored: number;
}

/** What is known of a body once it has been read to its end. */
export interface BodySummary {
  readonly bytes: number;
  /** SHA-256 of the whole body, hexadecimal. */
  readonly sha256: string;
}

export interface PutOptions extends CallOptions {
  /**
   * Runs after the last byte has been sent and before anything becomes visible under the key. If it throws, the upload is
   * taken back, what was stored under the key before stays as it was, and `put` rejects with what it threw.
   */
  readonly verify?: (summary: BodySummary) => void | Promise<void>;
  /**
   * SHA-256 of the whole body, hexadecimal, from a body that is hashed anyway while it is read. Asked once, after the body's end.
   * @default hashed by `put`
   */
  readonly sha256?: () => string;
  /** Called after every part, and at the end. What it throws is ignored. */
  readonly onProgress?: (progress: PutProgress) => void;
}

export interface PutResult extends BodySummary {
  readonly key: string;
  /** In how many requests the body went out. */
  readonly parts: number;
  readonly etag: string | undefined;
}

export interface LendOptions extends CallOptions {
  /** For how many seconds from now, a whole number up to 43200, which is twelve hours. */
  readonly expiresIn: number;
}

/**
 * A read of one object by somebody else, without credentials: an HTTP GET of `url` with `headers`, and nothing added to either but a
 * `range`. Whoever holds it can read that object until it expires, and nothing else; so it goes into no log and no error.
 */
export interface LentRead {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Certificates, in PEM, that the store is to be trusted by, besides the usual ones. */
  readonly ca?: string;
}

/**
 * One bucket, container or directory.
 *
 * Guarantees:
 * - An object is complete or absent: what `put` has not finished is never seen under its key, nor listed.
 * - Memory is bounded, whatever the length of an object or a list.
 * - Faults that pass are met with a few more tries, with growing pauses; then the call rejects with a `BlobError`. What the body
 *   or `verify` throws comes out of `put` unchanged.
 * - Nothing goes to any host but the one configured, and redirects are not followed.
 *
 * Keys are relative paths with forward slashes, at most 1024 bytes of UTF-8, without empty, `.` and `..` segments, backslashes
 * and control characters; anything else is refused with `InvalidPath` before the store is asked.
 */
export interface BlobStore {
  /** Where it is, for messages and logs, such as `s3://backups`. */
  readonly location: string;

  /**
   * Stores a body of any length, also of a length that nobody knows beforehand. An object that is there already is replaced, in one
   * step, at the very end. If it fails, whatever was sent is taken back.
   *
   * Assumes one writer of a key at a time: unfinished uploads to the same key, of a process that died, are ended first.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>;

  /**
   * Reads an object or a part of it. A connection that breaks is taken up again at the same byte, as long as the object has not
   * been replaced meanwhile. Ends without an error only if all bytes have come.
   */
  get(key: string, range?: ByteRange, options?: CallOptions): AsyncIterable<Uint8Array>;

  /** Rejects with `NotFound` if there is no such object. */
  stat(key: string, options?: CallOptions): Promise<BlobInfo>;

  /**
   * Makes a read of this object that another process can do by itself, for a short time; without asking the store, so that it does not
   * say whether there is such an object. Undefined if this store, or whoever it is opened as, cannot lend.
   *
   * Guarantees that at this moment the URL leads nowhere but where the store itself may connect to. Assumes that the holder follows
   * no redirects. Credentials that are themselves for a time end what was lent with them when they end.
   */
  lend(key: string, options: LendOptions): Promise<LentRead | undefined>;

  /** Every object whose key starts with `prefix`, in the order of the bytes of their keys, fetched page by page. */
  list(prefix: string, options?: CallOptions): AsyncIterable<BlobInfo>;

  /** Resolves if the object is gone, also if it never was there. */
  delete(key: string, options?: CallOptions): Promise<void>;

  /**
   * Ends unfinished uploads to keys that start with `prefix` which began before `startedBefore` (milliseconds since the epoch): what
   * processes left behind that were killed. Resolves with how many there were. Azure and Google drop theirs by themselves.
   */
  sweep(prefix: string, startedBefore: number, options?: CallOptions): Promise<number>;

  /** Ends unfinished uploads to exactly this key, whenever they began. Assumes that nobody is writing it. */
  clear(key: string, options?: CallOptions): Promise<void>;

  /** Closes connections. Calls after it are an error of the caller. */
  close(): void;
}
