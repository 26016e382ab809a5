// SPDX-License-Identifier: Apache-2.0
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { BlobError, type BlobErrorCode } from '../../blob-error.ts';
import type { BlobStore, PutResult } from '../../blob-store.ts';
import type { RetryPolicy } from '../../call/attempts.ts';
import { all, bytesOf, chunked, collect, sha256 } from '../bodies.ts';
import { expectClean } from '../expect-clean.ts';
import type { Answer, Fault, FaultProxy, ProxiedRequest } from '../fault-proxy.ts';

/** The purpose of a request. */
export type RequestKind = 'whole' | 'part' | 'finish' | 'look' | 'read' | 'list' | 'delete' | 'other';

/** A store behind a proxy, in front of a real server. */
export interface KitSubject {
  readonly proxy: FaultProxy;
  /** Opens another store, through the proxy. */
  readonly open: () => Promise<BlobStore>;
  /** The store without the proxy. */
  readonly direct: BlobStore;
  readonly partBytes: number;
  /** The unfinished uploads that the server itself lists. */
  readonly leftovers: () => Promise<readonly string[]>;
  /** Must not appear in any error. */
  readonly secrets: readonly string[];
  readonly kindOf: (request: ProxiedRequest) => RequestKind;
  /** When a wrong bit is noticed: with the part, which is then sent again, or only at the end. */
  readonly checks: 'parts' | 'objects';
  /**
   * True if the service can deny the requests of `stat` and still allow reads: a denied `stat` then reads instead. If
   * false, a denied `stat` fails with `Denied`.
   */
  readonly looksApart: boolean;
  /** Whether an endless error that answers a read is cut by its size. If not, only the time limit ends it. */
  readonly boundsReads: boolean;
  /** Turns the server into one without checksums. */
  readonly withoutChecksums: Plan;
  /** A page of a listing that says that more follow. */
  readonly continued: (page: string) => string;
  readonly refusals: readonly Refusal[];
  readonly expired: Answer;
  readonly close: () => Promise<void>;
}

export type Plan = (request: ProxiedRequest) => Fault | undefined;

/** An answer of a store, and the expected result. */
export interface Refusal {
  readonly title: string;
  readonly answer: Answer;
  readonly code: BlobErrorCode;
  readonly retryable: boolean;
}

/** Many attempts, short pauses: the tests are about the result, not the duration. */
export const quickRetries: RetryPolicy = {
  attempts: 4,
  firstDelayMs: 1,
  maxDelayMs: 5,
  requestTimeoutMs: 2_000,
  slowestBytesPerSecond: 10_000_000,
};

/** A subject with the common parts of the rows. */
export interface Scene extends KitSubject {
  readonly store: BlobStore;
  /** Returns the plan in which every request of this kind meets this fault. */
  readonly at: (kind: RequestKind, fault: Fault) => Plan;
  /**
   * A put with this plan. Its result must be true: stored and verified, or not stored, with the previous object kept.
   */
  readonly put: (plan: Plan, options?: PutCase) => Promise<PutResult | BlobError>;
  /** Uncaught errors since the last call. */
  readonly escaped: () => Promise<readonly unknown[]>;
}

interface PutCase {
  readonly key?: string;
  readonly body?: Buffer;
  readonly store?: BlobStore;
}

export async function sceneOf(subject: KitSubject, escaped: Scene['escaped']): Promise<Scene> {
  const store = await subject.open();
  let puts = 0;
  const at =
    (kind: RequestKind, fault: Fault): Plan =>
    (request) =>
      subject.kindOf(request) === kind ? fault : undefined;
  const put = async (plan: Plan, options: PutCase = {}): Promise<PutResult | BlobError> => {
    puts += 1;
    const { key = `put/${puts}`, body = bytesOf(subject.partBytes * 2 + 100, puts), store: by = store } = options;
    const before = Buffer.from(`before ${key}`);
    await subject.direct.put(key, chunked(before));
    subject.proxy.expect(plan);
    const outcome = await by.put(key, chunked(body)).catch((thrown: unknown) => thrown);
    subject.proxy.expect(() => undefined);
    const content = await collect(subject.direct.get(key)).catch(() => undefined);
    expect((await subject.leftovers()).filter((left) => left === key)).toEqual([]);
    if (outcome instanceof BlobError) {
      expect(outcome.outcomeUnknown).toBe(false);
      expect([sha256(before), undefined]).toContain(content && sha256(content));
      // The previous object is lost only if a damaged one had replaced it.
      if (!content) expect(outcome.code).toBe('ChecksumMismatch');
      expectClean(outcome, subject.secrets);
      return outcome;
    }
    expect(content && sha256(content)).toBe(sha256(body));
    expect(outcome).toMatchObject({ bytes: body.byteLength, sha256: sha256(body) });
    const result = outcome as PutResult;
    expect(['checksum', 'read-back']).toContain(result.proof);
    expect((await all(subject.direct.list(key))).map((item) => item.key)).toEqual([key]);
    return result;
  };
  return { ...subject, store, at, put, escaped };
}

/** The error of a rejected promise. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome) return outcome.error;
  throw new Error(`it should have failed, and gave ${inspect(outcome.value, { maxArrayLength: 3 })}`);
}

/** The first of these plans that applies. */
export function either(...plans: readonly Plan[]): Plan {
  return (request) => plans.map((plan) => plan(request)).find((fault) => fault !== undefined);
}

/** A plan for the first `times` matching requests. */
export function only(times: number, plan: Plan): Plan {
  let done = 0;
  return (request) => {
    const fault = done < times ? plan(request) : undefined;
    if (fault) done += 1;
    return fault;
  };
}
