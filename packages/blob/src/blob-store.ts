// SPDX-License-Identifier: Apache-2.0

/** What is known of one stored object. */
export interface BlobInfo {
  readonly key: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds since the epoch, by the store's clock. */
  readonly modifiedAt: number;
  /** Changes whenever the content does; two stores never agree on its form. */
  readonly etag: string | undefined;
  /** `PutOptions.mark` of the put that stored it, as `stat` tells it; undefined if the store keeps none. */
  readonly mark?: string | undefined;
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

export interface GetOptions extends CallOptions {
  /**
   * SHA-256 of the bytes that are asked for, hexadecimal. If others came, the read ends with `ChecksumMismatch`; nothing that was read
   * counts before that end.
   */
  readonly sha256?: string;
}

/**
 * How it is known that what is in the store is what was sent:
 *
 * - `checksum`: the store has told its own checksum of every byte, and it is ours;
 * - `read-back`: the object was read again and hashed;
 * - `none`: only its length, if at all. Whoever relies on it has to read it.
 */
export type PutProof = 'checksum' | 'read-back' | 'none';

/** What lies under a key, compared with what should: the very same bytes, others, or nothing. */
export type Settled = 'stored' | 'different' | 'absent';

export interface SettleOptions extends CallOptions {
  /** It was stored just now: `settle` then rejects, too, if the store does not show that it is locked as was asked for. @default false */
  readonly isNew?: boolean;
}

/**
 * Whether unfinished uploads were ended: `refused` if the credentials may not list or abort them, or the store cannot; then some may be
 * left.
 */
export type Cleared = 'cleared' | 'refused';

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
  /**
   * Reads the whole object again if the store has not proven it by a checksum. If it is not what was sent, it is deleted and `put`
   * rejects with `ChecksumMismatch`.
   * @default true
   */
  readonly readBack?: boolean;
  /** Stores it without the lock that the store was opened with: for what is deleted at once. @default false */
  readonly isUnlocked?: boolean;
  /**
   * Kept with the object where a store can, so that `stat` tells whose it is: unlike that of any other put, and no secret.
   * @default a random one
   */
  readonly mark?: string;
  /** Called after every part, and at the end. What it throws is ignored. */
  readonly onProgress?: (progress: PutProgress) => void;
}

export interface PutResult extends BodySummary {
  readonly key: string;
  /** In how many requests the body went out. */
  readonly parts: number;
  readonly etag: string | undefined;
  /** `none` only without `readBack`, or if whoever stores may not read. */
  readonly proof: PutProof;
}

/** What `sweep` may end. */
export interface SweepOptions extends CallOptions {
  /** Of keys that start with the prefix, those whose uploads are ended. @default all */
  readonly isOwn?: (key: string) => boolean;
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
 * - Success is told only after the store has proven, or a look at it has shown, that what it has is what was sent (`PutProof`).
 *
 * Keys are relative paths with forward slashes, at most 1024 bytes of UTF-8, without empty, `.` and `..` segments, backslashes
 * and control characters; anything else, and what this kind of store cannot take, is refused with `InvalidPath` before it is asked.
 */
export interface BlobStore {
  /** Where it is, for messages and logs, such as `s3://backups`. */
  readonly location: string;

  /**
   * The server that is asked, as a URL. With `location` it names the store: two buckets of the same name are the same one only on the
   * same server.
   */
  readonly server: string;

  /**
   * Throws `InvalidPath` if `put` would refuse this key: whoever derives several keys from one checks all of them before the first byte
   * is sent. Asks nobody.
   */
  checkKey(key: string): void;

  /**
   * Stores a body of any length, also of a length that nobody knows beforehand. An object that is there already is replaced, in one
   * step, at the very end. If it fails, whatever was sent is taken back. Afterwards the store is asked what it has: it must be this
   * object, in its full length, and proven as `PutResult.proof` says.
   *
   * Assumes one writer of a key at a time: unfinished uploads to the same key, of a process that died, are ended first.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>;

  /**
   * Reads an object or a part of it. A connection that breaks is taken up again at the same byte, as long as the object has not
   * been replaced meanwhile. Ends without an error only if exactly the bytes that were asked for have come; one that comes more slowly
   * than `slowestBytesPerSecond` counts as broken.
   */
  get(key: string, range?: ByteRange, options?: GetOptions): AsyncIterable<Uint8Array>;

  /**
   * Rejects with `NotFound` if there is no such object, and with `Denied` if the store does not say whether there is one: so does S3
   * without the right to list, of objects that are missing. A `put` may succeed all the same.
   */
  stat(key: string, options?: CallOptions): Promise<BlobInfo>;

  /**
   * Reads what lies under a key and tells whether it is what should be there: the answer to an error with `outcomeUnknown`. Rejects if
   * that cannot be found out.
   */
  settle(key: string, expected: BodySummary, options?: SettleOptions): Promise<Settled>;

  /**
   * Makes a read of this object that another process can do by itself, for a short time; without asking the store, so that it does not
   * say whether there is such an object. Undefined if this store, or whoever it is opened as, cannot lend.
   *
   * Guarantees that at this moment the URL leads nowhere but where the store itself may connect to. Assumes that the holder follows
   * no redirects. Credentials that are themselves for a time end what was lent with them when they end.
   */
  lend(key: string, options: LendOptions): Promise<LentRead | undefined>;

  /**
   * Every object whose key starts with `prefix`, in the order of the bytes of their keys, each once, fetched page by page. A listing that
   * cannot be right (it repeats a key, runs backwards, names others, breaks off or does not get on) ends with `BadListing`: nothing may
   * be deleted because of it.
   */
  list(prefix: string, options?: CallOptions): AsyncIterable<BlobInfo>;

  /** Resolves if the object is gone, also if it never was there. */
  delete(key: string, options?: CallOptions): Promise<void>;

  /**
   * Ends unfinished uploads to keys that start with `prefix` which began before `startedBefore` (milliseconds since the epoch): what
   * processes left behind that were killed. Resolves with how many there were. Azure and Google drop theirs by themselves.
   */
  sweep(prefix: string, startedBefore: number, options?: SweepOptions): Promise<number>;

  /**
   * Ends unfinished uploads to exactly this key, whenever they began, as far as it may: see `Cleared`. Assumes that nobody is writing it.
   */
  clear(key: string, options?: CallOptions): Promise<Cleared>;

  /** Closes connections. Calls after it are an error of the caller. */
  close(): void;
}
