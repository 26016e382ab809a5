// SPDX-License-Identifier: Apache-2.0
import type { Change, Command, MemberRecord } from './data-directory.ts';
import type { Id } from './ids.ts';

/** What the applied entries of a log amount to. The same entries give the same state on every member. */
export class AppliedState {
  readonly members = new Map<Id, MemberRecord>();
  readonly removed = new Set<Id>();
  readonly keys = new Map<string, string>();
  readonly alarms = new Set<string>();
  revision = 1;
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
      case 'lease':
        return undefined;
      case 'put':
        this.keys.set(command.key, command.value);
        this.revision++;
        return undefined;
      case 'restored': {
        const value = command.history.findLast((version) => version.value !== undefined)?.value;
        if (value !== undefined) this.keys.set('k', value);
        this.revision = command.history.at(-1)?.revision ?? 1;
        return undefined;
      }
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
