// SPDX-License-Identifier: Apache-2.0
import { AppliedState } from './applied-state.ts';
import type { Command, DataDirectory, MemberRecord } from './data-directory.ts';
import type { Id } from './ids.ts';
import { minorOf } from './versions.ts';

/** How an etcd process is run: what comes from its command line, its environment and its image. */
export interface MemberSettings {
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly version: string;
  readonly maxLearners: number;
  /** A raft snapshot is taken after so many entries. */
  readonly snapshotCount: number;
}

/** How a process ended. */
export interface Exit {
  readonly code: number;
  readonly message: string;
}

/** A request that waits for its entry to be applied by the member that was asked. */
export interface Waiting {
  readonly command: Command;
  readonly since: number;
  /** False until a leader has taken it into its log. */
  isProposed: boolean;
  readonly done: (refusal: string | undefined) => void;
}

/** No version has let more learners in. */
const judgedBefore = 100;

/**
 * One running etcd: its role in raft, the state that it has applied, and what waits for it. It knows its own directory and what others
 * told it; the moves are in `raft.ts`.
 */
export class Member {
  readonly directory: DataDirectory;
  readonly settings: MemberSettings;
  readonly state = new AppliedState();
  readonly startedAt: number;
  applied = 0;
  role: 'follower' | 'leader' = 'follower';
  leaderId: Id | undefined;
  /** When it last heard from a leader, or began. */
  heardAt: number;
  /** When it asks for votes if nobody is heard until then. */
  campaignAt = 0;
  /** As a leader: up to where each peer's log is known to agree, and when a quorum was last heard. */
  readonly match = new Map<Id, number>();
  quorumAt = 0;
  /** Since when a connection to each peer stands. */
  readonly activeSince = new Map<Id, number>();
  readonly receivedFrom = new Map<Id, number>();
  readonly waiting = new Map<string, Waiting>();
  /** It serves clients from then on: its name stands in the log. */
  isServing = false;
  exit: Exit | undefined;
  /** Raft snapshots since it started; entries that a snapshot stood for at its start are not in its memory. */
  snapshots = 0;
  readonly firstIndex: number;
  /** Up to where a raft snapshot says what the entries amount to. */
  judgedTo: number;
  /** When it last looked at versions, at a downgrade, and in which term at its first entry. */
  versionsAt: number;
  downgradeAt: number;
  versionsOfTerm = 0;
  /** As a leader: up to which compaction the data of all was compared, and when it looked last. */
  comparedTo = 0;
  comparedAt: number;
  readonly #onChange: (member: Member, what: string) => void;

  constructor(
    directory: DataDirectory,
    settings: MemberSettings,
    now: number,
    onChange: (member: Member, what: string) => void,
  ) {
    this.directory = directory;
    this.settings = settings;
    this.startedAt = now;
    this.heardAt = now;
    this.versionsAt = now;
    this.downgradeAt = now;
    this.comparedAt = now;
    this.firstIndex = directory.snapshotIndex;
    this.judgedTo = directory.snapshotIndex;
    this.#onChange = onChange;
    this.applyCommitted();
  }

  get id(): Id {
    return this.directory.memberId;
  }

  get lastIndex(): number {
    return this.directory.log.length;
  }

  get lastTerm(): number {
    return this.directory.log.at(-1)?.term ?? 0;
  }

  get isVoter(): boolean {
    const own = this.state.members.get(this.id);
    return own !== undefined && !own.isLearner;
  }

  quorum(): number {
    return Math.floor(this.state.voters().length / 2) + 1;
  }

  peers(): readonly MemberRecord[] {
    return [...this.state.members.values()].filter(({ id }) => id !== this.id);
  }

  hasPendingChange(): boolean {
    return this.directory.log.slice(this.applied).some(({ command }) => command.kind === 'change');
  }

  /** Applies what is known to be committed, and answers whoever waits for it here. */
  applyCommitted(): void {
    const { log, commit } = this.directory;
    while (this.applied < Math.min(commit, log.length)) {
      const entry = log[this.applied];
      this.applied++;
      if (!entry) continue;
      const refusal = this.#apply(entry.command);
      if (entry.command.kind === 'change') this.#onChange(this, refusal ?? describe(entry.command.change));
      if (entry.command.kind === 'noop') continue;
      const waiting = this.waiting.get(entry.command.request);
      this.waiting.delete(entry.command.request);
      waiting?.done(refusal);
    }
    this.directory.fileBytes = Math.max(this.directory.fileBytes, this.state.bytesInUse);
    if (this.applied - this.directory.snapshotIndex > this.settings.snapshotCount) this.saveSnapshot(this.applied);
  }

  #apply(command: Command): string | undefined {
    // What a raft snapshot stands for was judged when it was applied first, by whichever version ran then.
    const isJudged = this.applied <= this.judgedTo;
    const before = this.state.clusterVersion ?? 0;
    const refusal = this.state.apply(command, isJudged ? judgedBefore : this.settings.maxLearners);
    const isLowered = (this.state.clusterVersion ?? 0) < before;
    // Newer versions leave nothing in the log that the older one would have to read after a downgrade.
    if (isLowered && !isJudged && minorOf(this.settings.version) >= 6) this.saveSnapshot(this.applied);
    return refusal;
  }

  saveSnapshot(index: number): void {
    this.directory.snapshotIndex = index;
    this.snapshots++;
  }
}

function describe(change: Extract<Command, { kind: 'change' }>['change']): string {
  if (change.kind !== 'add') return `${change.kind} ${change.id}`;
  return `add ${change.member.isLearner ? 'learner' : 'voter'} ${change.member.id} ${change.member.peerUrls.join()}`;
}
