// SPDX-License-Identifier: Apache-2.0
import type { Change, Command, MemberRecord, Version } from './data-directory.ts';
import type { Id } from './ids.ts';

interface Revision {
  readonly revision: number;
  readonly key: string;
  readonly value: string;
  readonly bytes: number;
}

export const noSpace = 'etcdserver: mvcc: database space exceeded';
export const corrupt = 'etcdserver: corrupt cluster';

/** What the applied entries of a log amount to. The same entries give the same state on every member. */
export class AppliedState {
  readonly members = new Map<Id, MemberRecord>();
  readonly removed = new Set<Id>();
  readonly keys = new Map<string, string>();
  readonly alarms = new Set<string>();
  revision = 1;
  /** The revisions that compaction has left, the latest of each key among them, and what they take. */
  kept: Revision[] = [];
  bytesInUse = 0;
  compactRevision = 0;
  /** What the last compaction has seen, before it dropped what it drops: etcd compares that. */
  compacted: readonly Revision[] = [];
  /** All writes in their order, whatever was compacted. */
  readonly history: Version[] = [];
  #voters: readonly MemberRecord[] | undefined;
  /** The minor that the whole cluster speaks. */
  clusterVersion: number | undefined;
  /** The minor that an enabled downgrade leads to. */
  downgradeTarget: number | undefined;

  /** Asked for all the time, and seldom another answer. */
  voters(): readonly MemberRecord[] {
    this.#voters ??= [...this.members.values()].filter(({ isLearner }) => !isLearner);
    return this.#voters;
  }

  /** Applies an entry; says in etcd's words why a change is refused. */
  apply(command: Command, maxLearners: number): string | undefined {
    switch (command.kind) {
      case 'noop':
        return undefined;
      case 'lease':
        return command.isGrant ? this.#alarm() : this.#corruption();
      case 'put':
        return this.#alarm() ?? this.#put(command);
      case 'compact':
        return this.#corruption() ?? this.#compact(command.revision);
      case 'restored':
        this.#restore(command.history);
        return undefined;
      case 'publish': {
        const known = this.members.get(command.id);
        this.#voters = undefined;
        if (known) this.members.set(known.id, { ...known, name: command.name, clientUrls: command.clientUrls });
        return undefined;
      }
      case 'clusterVersion':
        this.clusterVersion = command.minor;
        return undefined;
      case 'downgrade':
        this.downgradeTarget = command.target;
        return undefined;
      case 'alarm': {
        const text = `${command.alarm} ${command.id}`;
        if (command.isRaised) this.alarms.add(text);
        else this.alarms.delete(text);
        return undefined;
      }
      case 'change': {
        const refusal = this.#refusal(command.change, maxLearners);
        if (refusal === undefined) this.#change(command.change);
        return refusal;
      }
    }
  }

  /** Why nothing is written that takes space. */
  #alarm(): string | undefined {
    const isFull = [...this.alarms].some((alarm) => alarm.startsWith('NOSPACE'));
    return this.#corruption() ?? (isFull ? noSpace : undefined);
  }

  #corruption(): string | undefined {
    return [...this.alarms].some((alarm) => alarm.startsWith('CORRUPT')) ? corrupt : undefined;
  }

  #put({ key, value, bytes = 0 }: Extract<Command, { kind: 'put' }>): undefined {
    this.keys.set(key, value);
    this.revision++;
    this.history.push({ revision: this.revision, value });
    this.kept.push({ revision: this.revision, key, value, bytes });
    this.bytesInUse += bytes;
  }

  #restore(history: readonly Version[]): void {
    for (const { revision, value } of history) {
      this.revision = revision;
      this.history.push({ revision, value });
      if (value === undefined) continue;
      this.keys.set('k', value);
      this.kept.push({ revision, key: 'k', value, bytes: 0 });
    }
  }

  #compact(revision: number): string | undefined {
    if (revision <= this.compactRevision) return 'etcdserver: mvcc: required revision has been compacted';
    if (revision > this.revision) return 'etcdserver: mvcc: required revision is a future revision';
    this.compactRevision = revision;
    this.compacted = this.kept.filter((one) => one.revision <= revision);
    const latest = new Map(this.kept.filter((one) => one.revision <= revision).map((one) => [one.key, one.revision]));
    this.kept = this.kept.filter((one) => one.revision > revision || latest.get(one.key) === one.revision);
    this.bytesInUse = this.kept.reduce((sum, { bytes }) => sum + bytes, 0);
    return undefined;
  }

  #refusal(change: Change, maxLearners: number): string | undefined {
    const id = change.kind === 'add' ? change.member.id : change.id;
    if (this.removed.has(id)) return 'etcdserver: member not found';
    switch (change.kind) {
      case 'add':
        return this.#refusalOf(change.member, maxLearners);
      case 'promote':
        if (!this.members.has(id)) return 'etcdserver: member not found';
        return this.members.get(id)?.isLearner ? undefined : 'etcdserver: can only promote a learner member';
      case 'remove':
        return this.members.has(id) ? undefined : 'etcdserver: member not found';
      case 'update':
        if (!this.members.has(id)) return 'etcdserver: member not found';
        return this.#isTaken(change.peerUrls, id) ? 'etcdserver: Peer URLs already exists' : undefined;
    }
  }

  #refusalOf({ id, peerUrls, isLearner }: MemberRecord, maxLearners: number): string | undefined {
    if (this.members.has(id)) return 'etcdserver: member ID already exist';
    if (this.#isTaken(peerUrls)) return 'etcdserver: Peer URLs already exists';
    const learners = this.members.size - this.voters().length;
    return isLearner && learners + 1 > maxLearners ? 'etcdserver: too many learner members in cluster' : undefined;
  }

  #isTaken(urls: readonly string[], butBy?: Id): boolean {
    const others = [...this.members.values()].filter(({ id }) => id !== butBy);
    return others.some(({ peerUrls }) => peerUrls.some((url) => urls.includes(url)));
  }

  #change(change: Change): void {
    this.#voters = undefined;
    switch (change.kind) {
      case 'add':
        this.members.set(change.member.id, change.member);
        return;
      case 'remove':
        this.members.delete(change.id);
        this.removed.add(change.id);
        return;
      case 'promote':
      case 'update': {
        const known = this.members.get(change.id);
        if (!known) return;
        const now = change.kind === 'promote' ? { isLearner: false } : { peerUrls: change.peerUrls };
        this.members.set(change.id, { ...known, ...now });
      }
    }
  }
}
