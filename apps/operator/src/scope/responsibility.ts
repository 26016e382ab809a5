// SPDX-License-Identifier: Apache-2.0
import type { EventRecorder, ReconcileContext } from '@operator-parts/controller-runtime';
import { ignoreNotFound, type KubeObject, keyOf, keyString, leases, type Resource } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { annotations, fieldManager } from '../api/names.ts';
import { eventReasons } from '../api/reasons.ts';
import { isSeen } from '../api/status/unseen-status.ts';
import { FirstSeen } from '../first-seen.ts';
import type { Claims } from './claims.ts';
import { type Claim, judge, type Reach, type ScopeFacts, type Verdict } from './judge.ts';
import { MarksAtStart } from './marks-at-start.ts';

/**
 * An operator hands over within seconds. If its watch is broken, it notices this after 90 s and stops. So an operator that has not handed
 * over after this time, in milliseconds, is not running.
 */
const longWait = 120_000;
/** How soon an undecided object is checked again, in milliseconds. */
const recheck = 5_000;
/** An operator hands over within seconds. If it takes longer than this, in milliseconds, an event says what the object is waiting for. */
const quietWait = 10_000;
/** The start of another operator is noticed at once; this interval is for noticing that one has stopped. */
const slowRecheck = 30_000;
/** Checks again as soon as the cache has the mark. */
const atOnce = 1;

const nobody: Claim = { kind: 'none' };

/** What a cluster-wide operator uses to find other operators. */
export interface OtherOperators {
  readonly claims: Pick<Claims, 'of' | 'ofLease'>;
  /** The name of the Lease that an operator of a single namespace holds in that namespace. */
  readonly leaseName: string;
  /** The name of the Lease of a cluster-wide operator. */
  readonly clusterWideLeaseName: string;
}

export interface ResponsibilityOptions {
  readonly clock: Clock;
  readonly reach: Reach;
  /** The namespace that this operator runs in. */
  readonly home: string;
  /** Only for a cluster-wide operator. */
  readonly others?: OtherOperators;
  readonly events: EventRecorder;
}

interface Judged {
  readonly uid: string;
  readonly scope: string | undefined;
  readonly verdict: Verdict;
}

/** Decides which objects of a kind this operator manages, so that two operators never work on the same object. */
export class Responsibility<T extends KubeObject> {
  readonly #options: ResponsibilityOptions;
  readonly #resource: Resource<T>;
  readonly #judged = new Map<string, Judged>();
  /**
   * UIDs of objects for which the API server has confirmed, since this process began to lead, that they have our mark and that no operator
   * of their namespace holds its Lease.
   */
  readonly #confirmed = new Set<string>();
  /** How long objects have been waiting for another operator, and for which reason. */
  readonly #waits: FirstSeen;
  readonly #marksAtStart: MarksAtStart;

  constructor(resource: Resource<T>, options: ResponsibilityOptions) {
    this.#resource = resource;
    this.#options = options;
    this.#marksAtStart = new MarksAtStart(resource);
    this.#waits = new FirstSeen(options.clock);
  }

  /** True if the last `settle` decided that this operator manages the object. If UID or scope annotation have changed since, false. */
  isOurs(object: KubeObject): boolean {
    const judged = this.#judged.get(keyString(keyOf(object)));
    const { uid = '', annotations: notes = {} } = object.metadata ?? {};
    return judged?.verdict.kind === 'ours' && judged.uid === uid && judged.scope === notes[annotations.scope];
  }

  forget(key: string): void {
    const judged = this.#judged.get(key);
    if (judged) this.#confirmed.delete(judged.uid);
    this.#judged.delete(key);
    this.#waits.forget(key);
  }

  /** Forgets everything that was read, because the data of the API server was replaced (restored from a backup, lost or swapped). */
  forgetServerData(): void {
    this.#confirmed.clear();
    this.#marksAtStart.forget();
  }

  /**
   * Decides who manages an object before any work on it. `stop` ends the work in progress before the object is handed over. Returns when to
   * decide again, in milliseconds; undefined if only an event can change the decision.
   */
  async settle(object: T, context: ReconcileContext, stop: () => Promise<unknown>): Promise<number | undefined> {
    const key = keyString(keyOf(object));
    const verdict = judge(await this.#facts(object, key, context));
    this.#tell(object, this.#judged.get(key)?.verdict, verdict, context);
    switch (verdict.kind) {
      case 'ours':
        return this.#keep(object, key, context, stop);
      case 'others':
      case 'nobody':
        this.#note(object, key, verdict);
        return this.#options.reach.kind === 'cluster' ? slowRecheck : undefined;
      case 'wait':
        this.#note(object, key, verdict);
        this.#tellWait(object, key, verdict.why);
        return recheck;
      case 'mark':
        this.#note(object, key, verdict);
        await this.#mark(object, this.#options.home, context);
        return atOnce;
      case 'unmark':
        this.#note(object, key, verdict);
        await this.#mark(object, null, context);
        this.#marksAtStart.forget();
        return recheck;
      case 'release':
        return this.#release(object, key, context, stop);
    }
  }

  /**
   * Before a cluster-wide operator works on an object that it has marked, it reads from the API server that the mark exists, and that no
   * operator of the object's namespace holds its Lease. So it notices an operator that acquired its Lease before the mark was written. An
   * operator that acquires its Lease later sees the mark.
   */
  async #keep(object: T, key: string, context: ReconcileContext, stop: () => Promise<unknown>) {
    const { uid = '' } = object.metadata ?? {};
    if (this.#options.reach.kind === 'cluster' && !this.#confirmed.has(uid)) {
      const present = await ignoreNotFound(
        context.client.resource(this.#resource).get(keyOf(object), { signal: context.signal }),
      );
      const isMarked =
        present?.metadata?.uid === uid && present.metadata.annotations?.[annotations.managedBy] === this.#options.home;
      if (!present || !isMarked) {
        this.#note(object, key, { kind: 'wait', why: 'the cache has an older version of this object' });
        return recheck;
      }
      if (await this.#isClaimedNow(present, context)) return this.#release(present, key, context, stop);
      this.#confirmed.add(uid);
    }
    this.#note(object, key, { kind: 'ours' });
    return undefined;
  }

  async #release(object: T, key: string, context: ReconcileContext, stop: () => Promise<unknown>): Promise<number> {
    this.#confirmed.delete(object.metadata?.uid ?? '');
    this.#note(object, key, { kind: 'others' });
    await stop();
    await this.#mark(object, null, context);
    return recheck;
  }

  #note(object: T, key: string, verdict: Verdict): void {
    const { uid = '', annotations: notes = {} } = object.metadata ?? {};
    this.#judged.set(key, { uid, scope: notes[annotations.scope], verdict });
  }

  async #facts(object: T, key: string, context: ReconcileContext): Promise<ScopeFacts> {
    const { reach, home, others } = this.#options;
    const { annotations: notes = {}, namespace = '', uid = '' } = object.metadata ?? {};
    const marks = this.#marksAtStart;
    const markedBy = reach.kind === 'namespace' ? await marks.of(object, context) : notes[annotations.managedBy];
    const isOfOtherOperator = markedBy !== undefined && (reach.kind === 'namespace' || markedBy !== home);
    const facts = {
      reach,
      home,
      scope: notes[annotations.scope],
      markedBy,
      claim: others?.claims.of(namespace) ?? nobody,
      markClaim: isOfOtherOperator && others ? await this.#claimOfMark(markedBy, others, context) : nobody,
      hasStatus: 'status' in object && isSeen(object.status),
      hasWaited: false,
    };
    // Counts only the time in which this operator would manage the object if there were no other operator.
    const isWaiting = judge(facts).kind === 'wait';
    const waited = this.#waits.age(key, isWaiting && `${uid} ${facts.scope} ${markedBy}`);
    return { ...facts, hasWaited: isWaiting && waited >= longWait };
  }

  async #claimOfMark(namespace: string, others: OtherOperators, { client, signal }: ReconcileContext): Promise<Claim> {
    const key = { namespace, name: others.clusterWideLeaseName };
    return others.claims.ofLease(key, await ignoreNotFound(client.resource(leases).get(key, { signal })));
  }

  /** Reads from the API server, because the cache may be older than the mark. */
  async #isClaimedNow(object: T, { client, signal }: ReconcileContext): Promise<boolean> {
    const { others } = this.#options;
    const { namespace = '', annotations: notes = {} } = object.metadata ?? {};
    if (!others || notes[annotations.scope] === 'clusterwide') return false;
    const key = { namespace, name: others.leaseName };
    const lease = await ignoreNotFound(client.resource(leases).get(key, { signal }));
    return others.claims.ofLease(key, lease).kind === 'held';
  }

  /** Sets or removes the mark. The patch includes the resourceVersion of the object, so that it never overwrites a concurrent change. */
  async #mark(object: T, mark: string | null, { client, signal }: ReconcileContext): Promise<T> {
    const { resourceVersion, uid } = object.metadata ?? {};
    const metadata = { resourceVersion, uid, annotations: { [annotations.managedBy]: mark } };
    return client
      .resource(this.#resource)
      .patch(keyOf(object), { type: 'merge', patch: { metadata } }, { fieldManager, signal });
  }

  /** Sends one event for each wait, at the first check after `quietWait`: checks are `recheck` apart. */
  #tellWait(object: T, key: string, why: string): void {
    const waited = this.#waits.age(`${key}/why`, why) - quietWait;
    if (waited < 0 || waited >= recheck) return;
    const message = `This object is not managed yet: ${why}. The operator checks this object again every ${recheck / 1000} s.`;
    this.#options.events.record(object, 'Normal', eventReasons.waitingForOperator, message);
  }

  /** Logs and sends an event only when the verdict or its reason has changed. */
  #tell(object: T, before: Verdict | undefined, verdict: Verdict, { log }: ReconcileContext): void {
    if (before && before.kind === verdict.kind && whyOf(before) === whyOf(verdict)) return;
    const why = whyOf(verdict);
    if (verdict.kind === 'nobody') {
      log.warn('this operator does not manage this object and knows of no other operator that does', { why });
      const message = `This operator does not manage this object: ${why}.`;
      this.#options.events.record(object, 'Warning', eventReasons.notResponsible, message);
    } else if (why !== undefined)
      log.info('another operator manages this object, or may manage it', { verdict: verdict.kind, why });
  }
}

function whyOf(verdict: Verdict): string | undefined {
  if (verdict.kind === 'release') return verdict.to;
  return 'why' in verdict ? verdict.why : undefined;
}
