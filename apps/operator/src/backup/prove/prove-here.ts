// SPDX-License-Identifier: Apache-2.0
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  clientPort,
  type Dialer,
  EtcdError,
  formatId,
  isEtcdError,
  type KeySummary,
  type Login,
  MemberClient,
  type RequestOptions,
  SnapshotError,
  summarizeKeys,
} from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import { refusals } from '../../restore/observe/refusals.ts';
import { type ProofFigures, type ProofReport, type ProofWords, renderWords } from './proof-report.ts';

/** The pod of a proof (test restore of a stored backup), as the agent in the pod sees it. */
export interface ProofPlace {
  /** The received snapshot. */
  readonly file: string;
  /** Where the login is mounted; empty if there is none. */
  readonly loginDirectory: string;
  /** The file with the termination message of the container. */
  readonly reportFile: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Port of the restored etcd on loopback. @default etcd's client port */
  readonly port?: number;
  /** @default the default of `MemberClient`, which connects over the network */
  readonly dial?: Dialer;
}

/**
 * etcd serves within seconds of its start, unless it has to read a large database first. The pod's own deadline limits all waiting.
 */
const servePatience = 30 * 60_000;
const askAgainAfter = 250;
/** HashKV and counting keys read the whole database. */
const longCall = 30 * 60_000;

/**
 * Reads the snapshot file, reads the same data from the etcd in the same pod, and writes what it found into the termination message. The
 * operator compares both. False if one of them could not be read.
 */
export async function proveHere(place: ProofPlace): Promise<boolean> {
  const words = await find(place);
  await writeFile(place.reportFile, renderWords(words));
  return words.kind === 'report';
}

async function find(place: ProofPlace): Promise<ProofWords> {
  try {
    const file = await readFileWhole(place.file);
    return { kind: 'report', report: await askServer(place, file) };
  } catch (error) {
    place.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    if (isEtcdError(error, ...refusals)) return { kind: 'loginRefused', why };
    if (error instanceof SnapshotError) return { kind: 'unreadable', why };
    if (isEtcdError(error)) return { kind: 'notServing', why };
    throw error;
  }
}

async function readFileWhole(path: string): Promise<KeySummary> {
  await using handle = await open(path, 'r');
  const readAt = async (offset: number, length: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  // The await is needed: the file is closed when this function ends.
  return await summarizeKeys({ readAt, bytes: (await handle.stat()).size });
}

async function askServer(place: ProofPlace, file: KeySummary): Promise<ProofReport> {
  const { clock, signal, loginDirectory, port, dial } = place;
  const login = await loginIn(loginDirectory);
  using member = new MemberClient({
    target: { host: '127.0.0.1', port: port ?? clientPort },
    clock,
    login: () => login,
    ...(dial && { dial }),
  });
  return await untilServed(clock, signal, async () => {
    const status = await member.maintenance.status({ signal });
    if (status.leader === 0n) return undefined;
    const { members } = await member.cluster.memberList({ signal });
    return {
      file,
      served: await figuresAt(member, BigInt(file.revision), Number(status.revision), signal),
      etcdVersion: status.version,
      clusterId: formatId(status.clusterId),
      members: members.map(({ name, peerUrls }) => name || (peerUrls[0] ?? '')),
    };
  });
}

/**
 * Reads the figures at the revision of the file, because expired leases delete keys at later revisions. If the member is at a lower
 * revision than the file, reads them at the member's present revision.
 */
async function figuresAt(
  { maintenance, kv }: MemberClient,
  wanted: bigint,
  present: number,
  signal: AbortSignal,
): Promise<ProofFigures> {
  const revision = BigInt(present) < wanted ? 0n : wanted;
  const options = { signal, timeoutMs: longCall };
  const { hash, compactRevision } = await hashAt(maintenance, revision, options);
  const all = Buffer.from([0]);
  const { count } = await kv.range({ key: all, rangeEnd: all, countOnly: true, revision }, options);
  return {
    revision: revision === 0n ? present : Number(revision),
    // etcd reports -1 before the first compaction.
    compactRevision: Math.max(0, Number(compactRevision)),
    keys: Number(count),
    hash,
  };
}

/**
 * etcd 3.4 refuses a hash request for the revision that it was compacted at, even if that is the present revision. It answers a request
 * that names no revision.
 */
async function hashAt(maintenance: MemberClient['maintenance'], revision: bigint, options: RequestOptions) {
  try {
    return await maintenance.hashKv(revision, options);
  } catch (error) {
    if (!isEtcdError(error, 'Compacted')) throw error;
    const { revision: present } = await maintenance.status(options);
    if (present !== revision) throw error;
    return maintenance.hashKv(0n, options);
  }
}

/** Errors of an etcd that is starting, or on a busy node. They say nothing about the backup. */
const passing = [
  ...(['Timeout', 'Unavailable', 'BadResponse', 'ServerStopped', 'TooManyRequests'] as const),
  ...(['NoLeader', 'NotLeader', 'LeaderChanged'] as const),
] as const;

async function untilServed<T>(clock: Clock, signal: AbortSignal, ask: () => Promise<T | undefined>): Promise<T> {
  const end = clock.monotonic() + servePatience;
  for (;;) {
    try {
      const found = await ask();
      if (found !== undefined) return found;
      if (clock.monotonic() > end) throw new EtcdError('NoLeader', 'the restored member has no leader');
    } catch (error) {
      signal.throwIfAborted();
      if (!isEtcdError(error, ...passing) || clock.monotonic() > end) throw error;
    }
    await clock.sleep(askAgainAfter, signal);
  }
}

async function loginIn(directory: string): Promise<Login | undefined> {
  if (directory === '') return undefined;
  const [name, password] = await Promise.all(
    ['username', 'password'].map(async (key) => (await readFile(join(directory, key), 'utf8')).trim()),
  );
  return name && password ? { name, password } : undefined;
}
