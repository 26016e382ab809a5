// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { FirstSeen } from '../../first-seen.ts';
import type { Answer } from '../observation.ts';

type Status = Extract<Answer, { kind: 'status' }>;

/** How the etcd in each pod has answered so far, by pod UID. Pods without an address are included. All times are of the monotonic clock. */
export class AnswerHistory {
  readonly #answering: FirstSeen;
  readonly #unanswering: FirstSeen;
  readonly #leaderless: FirstSeen;
  readonly #closed: FirstSeen;
  readonly #identities: FirstSeen;
  readonly #identity = new Map<string, string>();
  readonly #everAnswered = new Set<string>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#answering = new FirstSeen(clock);
    this.#unanswering = new FirstSeen(clock);
    this.#leaderless = new FirstSeen(clock);
    this.#closed = new FirstSeen(clock);
    this.#identities = new FirstSeen(clock);
  }

  hasAnswered(uid: string): boolean {
    return this.#everAnswered.has(uid);
  }

  /** Records that the pod has just answered. */
  answered(
    uid: string,
    { leaderId, clusterId, memberId }: Pick<Status, 'leaderId' | 'clusterId' | 'memberId'>,
  ): Pick<Status, 'since' | 'leaderlessSince' | 'identitySince'> {
    this.#everAnswered.add(uid);
    this.#unanswering.forget(uid);
    if (leaderId !== '') this.#leaderless.forget(uid);
    const identity = `${clusterId}/${memberId}`;
    if (this.#identity.get(uid) !== identity) this.#identities.forget(uid);
    this.#identity.set(uid, identity);
    return {
      since: this.#answering.since(uid),
      leaderlessSince: leaderId === '' ? this.#leaderless.since(uid) : 0,
      identitySince: this.#identities.since(uid),
    };
  }

  /** Records that the pod has just failed to answer, or could not be asked. */
  unanswered(uid: string): { readonly since: number; readonly hasAnswered: boolean } {
    this.#answering.forget(uid);
    this.#leaderless.forget(uid);
    return { since: this.#unanswering.since(uid), hasAnswered: this.hasAnswered(uid) };
  }

  /** Returns when the etcd of this pod was first seen to run with its client port closed. */
  closedSince(uid: string): number {
    return this.#closed.since(uid);
  }

  forgetAllBut(uids: ReadonlySet<string>): void {
    for (const memory of [this.#answering, this.#unanswering, this.#leaderless, this.#closed, this.#identities])
      memory.forgetAllBut(uids);
    for (const uid of this.#identity.keys()) if (!uids.has(uid)) this.#identity.delete(uid);
    for (const uid of this.#everAnswered) if (!uids.has(uid)) this.#everAnswered.delete(uid);
  }
}
