// SPDX-License-Identifier: Apache-2.0
import { LogError } from './log-error.ts';
import {
  confChange,
  confChangeTypes,
  entry,
  entryTypes,
  hardState,
  logSnapshot,
  metadata as metadataMessage,
} from './raft-messages.ts';
import { type FileEnd, readRecords, recordTypes } from './records.ts';

/** A member's log in its data directory. */
export interface LogReading {
  readonly memberId: bigint;
  readonly clusterId: bigint;
  /** The member's current term and vote, and its commit index. */
  readonly state: { readonly term: bigint; readonly vote: bigint; readonly commit: bigint };
  /**
   * Term and index of the last entry. The member has received all entries up to this one; it may not have known yet
   * that they are committed.
   */
  readonly lastTerm: bigint;
  readonly lastIndex: bigint;
  /**
   * The first entry of each term, in ascending order. The first item is the raft snapshot that precedes the log;
   * everything up to that snapshot is committed.
   */
  readonly terms: readonly TermStart[];
  readonly voters: readonly bigint[];
  readonly learners: readonly bigint[];
  /** Index of the raft snapshot that the log begins with; 0 if the log goes back to the first entry. */
  readonly baseIndex: bigint;
  /** The position of the next record in the last file. */
  readonly end: Omit<FileEnd, 'hasRoom'>;
}

/** The first entry of a term in a log. */
export interface TermStart {
  readonly index: bigint;
  readonly term: bigint;
}

interface Change {
  readonly index: bigint;
  readonly type: number;
  readonly memberId: bigint;
}

/**
 * Reads the files of a write-ahead log, from the first to the last.
 *
 * @param hasSnapshot whether the file of a raft snapshot exists: etcd starts with the newest existing snapshot that the
 * log names
 */
export class LogReader {
  readonly #hasSnapshot: (term: bigint, index: bigint) => boolean;
  #identity: { readonly memberId: bigint; readonly clusterId: bigint } | undefined;
  #state = hardState.decode(new Uint8Array(0));
  #base: ReturnType<typeof logSnapshot.decode> | undefined;
  /** Terms of the entries from `#first` on. */
  #first = 0n;
  #terms: bigint[] = [];
  #changes: Change[] = [];
  #end: FileEnd = { offset: 0, crc: 0, isTorn: false, hasRoom: true };

  constructor(hasSnapshot: (term: bigint, index: bigint) => boolean) {
    this.#hasSnapshot = hasSnapshot;
  }

  /** Reads the next file. Only the last one may end in the middle of a record. */
  add(file: Uint8Array): void {
    if (this.#end.isTorn) throw new LogError('Damaged', 'a file of its write-ahead log (WAL) ends inside a record');
    const records = readRecords(file, this.#end.crc);
    for (;;) {
      const next = records.next();
      if (next.done) {
        this.#end = next.value;
        return;
      }
      this.#take(next.value.type, next.value.data);
    }
  }

  result(): LogReading {
    const identity = this.#identity;
    const base = this.#base;
    if (!identity || !base) throw new LogError('Missing', 'its write-ahead log (WAL) is missing, or its beginning is');
    const isHeld = this.#first <= base.index + 1n;
    const last = this.#first + BigInt(this.#terms.length) - 1n;
    const hasEntries = this.#terms.length > 0 && last > base.index;
    if (hasEntries && !isHeld)
      throw new LogError(
        'Missing',
        `its write-ahead log (WAL) has no entries from ${base.index + 1n} to ${this.#first - 1n}`,
      );
    const lastIndex = hasEntries ? last : base.index;
    const lastTerm = hasEntries ? (this.#terms.at(-1) ?? 0n) : base.term;
    if (this.#state.commit > lastIndex)
      throw new LogError(
        'Missing',
        `its write-ahead log (WAL) ends at index ${lastIndex}, but the member had committed up to index ${this.#state.commit}`,
      );
    const terms = this.#termStarts(base);
    const { hasRoom, ...end } = this.#end;
    return {
      ...identity,
      ...{ state: this.#state, lastTerm, lastIndex, terms, ...this.#members(base), baseIndex: base.index },
      // Without reserved zeros, the end of this file or the file after it is missing.
      end: { ...end, isTorn: end.isTorn || !hasRoom },
    };
  }

  #termStarts(base: ReturnType<typeof logSnapshot.decode>): readonly TermStart[] {
    const starts: TermStart[] = base.index > 0n ? [{ index: base.index, term: base.term }] : [];
    for (const [offset, term] of this.#terms.entries()) {
      const index = this.#first + BigInt(offset);
      if (index > base.index && starts.at(-1)?.term !== term) starts.push({ index, term });
    }
    return starts;
  }

  #take(type: number, data: Uint8Array): void {
    switch (type) {
      case recordTypes.metadata:
        this.#identity = metadataMessage.decode(data);
        return;
      case recordTypes.state:
        this.#state = hardState.decode(data);
        return;
      case recordTypes.snapshot:
        this.#begin(logSnapshot.decode(data));
        return;
      case recordTypes.entry:
        this.#append(entry.decode(data));
        return;
      default:
        throw new LogError('Unsupported', `its write-ahead log (WAL) has a record of the unknown type ${type}`);
    }
  }

  #begin(snapshot: ReturnType<typeof logSnapshot.decode>): void {
    const { index, term } = snapshot;
    if (index > 0n && !this.#hasSnapshot(term, index)) return;
    if (this.#base !== undefined && index < this.#base.index) return;
    this.#base = snapshot;
    // If the entry at this index has another term, a later leader sent the snapshot: then no entry after this index
    // counts, as in raft.
    const held = index < this.#first ? undefined : this.#terms[Number(index - this.#first)];
    if (held === undefined || held === term) return;
    this.#terms.length = Number(index - this.#first) + 1;
    this.#changes = this.#changes.filter((change) => change.index <= index);
  }

  /** An entry that is written again replaces everything after it: another leader has overwritten it. */
  #append({ index, term, type, data }: ReturnType<typeof entry.decode>): void {
    const next = this.#first + BigInt(this.#terms.length);
    if (this.#terms.length === 0 || index < this.#first || index > next) {
      // The leader has sent a snapshot: the log continues after it.
      this.#first = index;
      this.#terms = [];
    }
    this.#terms.length = Number(index - this.#first);
    this.#terms.push(term);
    this.#changes = this.#changes.filter((change) => change.index < index);
    if (type === entryTypes.confChange) {
      const change = confChange.decode(data);
      this.#changes.push({ index, type: change.type, memberId: change.memberId });
    }
    if (type === entryTypes.confChangeV2)
      throw new LogError(
        'Unsupported',
        `entry ${index} of its write-ahead log (WAL) changes members in an unknown way`,
      );
  }

  #members(base: ReturnType<typeof logSnapshot.decode>): Pick<LogReading, 'voters' | 'learners'> {
    if (base.index > 0n && !base.confState)
      throw new LogError('Unsupported', 'its write-ahead log (WAL) was written by an etcd older than 3.5');
    const voters = new Set(base.confState?.voters);
    const learners = new Set(base.confState?.learners);
    for (const { index, type, memberId } of this.#changes) {
      if (index <= base.index || type === confChangeTypes.update) continue;
      voters.delete(memberId);
      learners.delete(memberId);
      if (type === confChangeTypes.addVoter) voters.add(memberId);
      if (type === confChangeTypes.addLearner) learners.add(memberId);
    }
    return { voters: [...voters], learners: [...learners] };
  }
}
