// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  formatMicroTime,
  isKubeError,
  KubeError,
  type Lease,
  leases,
  type ResourceClient,
  untilAborted,
} from '@operator-parts/kube';
import type { Clock, Logger, Random, Timer } from '@operator-parts/ports';
import type { GaugeSeries } from '../metrics/gauge.ts';
import { MetricRegistry } from '../metrics/registry.ts';
import { judge, type Observation, observe } from './candidacy.ts';
import { LeadershipLost } from './leadership-lost.ts';
import { isLeaseValid, type Moment, momentOf } from './lease-validity.ts';
import { wakeOnLeaseChange } from './wake-on-lease-change.ts';
import { watchLease } from './watch-lease.ts';

export interface LeaderElectionOptions {
  /** Name and namespace of the Lease that all candidates share. */
  readonly leaseName: string;
  readonly leaseNamespace: string;
  /** Our identity: unique among the candidates. @default a UUID */
  readonly identity?: string;
  /** How long other candidates wait after our last renewal, in milliseconds. @default 15000 */
  readonly leaseDuration?: number;
  /** All work stops after this time without a renewal, in milliseconds; shorter than `leaseDuration`. @default 10000 */
  readonly renewDeadline?: number;
  /** Time between attempts to acquire or renew the lease, in milliseconds. @default 2000 */
  readonly retryPeriod?: number;
  /** Releases the lease at the end, so that the next candidate does not wait. @default true */
  readonly releaseOnExit?: boolean;
}

export interface LeaderElectorOptions extends LeaderElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: MetricRegistry;
}

type State =
  | { readonly phase: 'candidate' }
  | { readonly phase: 'leading'; readonly lease: Lease; readonly renewed: Moment }
  | { readonly phase: 'ended' };

/**
 * Leader election by Lease. An optimisation, not a lock: a write sent just before the lease expired may arrive after
 * another candidate acquired it, so every write still needs its own precondition.
 *
 * Guarantees: the work's signal is aborted within `renewDeadline` of the last successful renewal, before any other
 * candidate may acquire the lease; `assertLeading` detects that the lease expired during a suspension even before a
 * timer has fired; the lease is watched while it is held, so editing or deleting it by hand ends the work at once;
 * candidates wait until a deleted lease would have expired; the lease is kept until the work has ended, and released
 * then.
 */
export class LeaderElector {
  readonly identity: string;
  readonly #options: Required<LeaderElectionOptions> & LeaderElectorOptions;
  readonly #leases: ResourceClient<Lease>;
  readonly #log: Logger;
  readonly #status: GaugeSeries;
  readonly #work = new AbortController();
  readonly #tenure = new AbortController();
  #state: State = { phase: 'candidate' };
  #observation: Observation | undefined;
  #heldUntil = Number.POSITIVE_INFINITY;
  #deadline: Timer | undefined;
  /** The lease was deleted while we led: nothing is done until we or another candidate acquire it. */
  #isGone = false;
  #wakeRenewal: () => void = () => undefined;

  constructor(options: LeaderElectorOptions) {
    this.#options = {
      identity: options.random.uuid(),
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2000,
      releaseOnExit: true,
      ...options,
    };
    if (this.#options.renewDeadline >= this.#options.leaseDuration) {
      throw new RangeError('renewDeadline must be shorter than leaseDuration');
    }
    this.identity = this.#options.identity;
    this.#leases = options.client.resource(leases);
    this.#log = options.log.child({ object: `Lease ${options.leaseNamespace}/${options.leaseName}` });
    this.#status = (options.metrics ?? new MetricRegistry())
      .gauge({
        name: 'leader_election_master_status',
        help: '1 while this process is the leader, else 0',
        labels: ['name'],
      })
      .labels(options.leaseName);
  }

  /** True while the lease is known to be ours. */
  get leading(): boolean {
    return this.#state.phase === 'leading' && !this.#isGone && this.#isSure(this.#state.renewed);
  }

  /** Aborted when the lease is lost or released: no work that needs the lease may be done after that. */
  get tenure(): AbortSignal {
    return this.#tenure.signal;
  }

  /**
   * Unless we hold the lease, throws `LeadershipLost` and ends the work at once. Called before every write: after a
   * suspension the process may write before its timers have fired.
   */
  assertLeading(): void {
    this.#noticeSuspension();
    if (this.#state.phase !== 'leading') throw new LeadershipLost('taken', 'this process does not hold the lease');
    if (this.#isGone) throw new LeadershipLost('taken', 'the lease was deleted; the new leader is not known yet');
  }

  /** After a suspension the process may run before its timers have fired. */
  #noticeSuspension(): void {
    if (this.#state.phase !== 'leading' || this.#isSure(this.#state.renewed)) return;
    this.#lose(
      new LeadershipLost('suspended', 'the lease may have expired, because this process was suspended for a while'),
    );
  }

  /**
   * Acquires the lease, then runs `work` with a signal that is aborted when `signal` is, or when the lease is lost.
   * Resolves when the work has ended after `signal`. Rejects with `LeadershipLost` if the lease was lost, or with the
   * error of `work`: then the work may not have ended, so the lease is left to expire.
   */
  async run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!(await this.#acquire(signal))) {
      this.#state = { phase: 'ended' };
      return;
    }
    this.#log.info('became leader', { identity: this.identity });
    this.#status.set(1);
    const stop = () => this.#work.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const renewal = new AbortController();
    const renewing = this.#keep(renewal.signal);
    using _watch = watchLease(this.#options, { seen: (lease) => this.#onSeen(lease), gone: () => this.#onGone() });
    let hasEnded = false;
    try {
      await work(this.#work.signal);
      hasEnded = true;
    } finally {
      signal.removeEventListener('abort', stop);
      renewal.abort();
      await renewing;
      this.#deadline?.cancel();
      this.#status.set(0);
      await this.#release(hasEnded);
    }
    if (this.#work.signal.reason instanceof LeadershipLost) throw this.#work.signal.reason;
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random, retryPeriod } = this.#options;
    using wake = wakeOnLeaseChange(this.#options, signal, (lease) => this.#observe(lease));
    let holder: string | undefined;
    while (!signal.aborted) {
      const woken = wake.next();
      const seen = await this.#try(signal);
      if (this.#state.phase === 'leading') return true;
      if (seen !== holder) this.#log.info('waiting for the lease', { holder: seen, identity: this.identity });
      holder = seen;
      // The attempts of candidates are spread randomly, but each candidate tries when the lease should expire or has
      // changed. If the expired lease could not be read, the normal pause applies: a failing server is not asked
      // without a pause.
      const pause = retryPeriod * (1 + random.next());
      const left = this.#heldUntil - clock.monotonic();
      await clock.sleep(left > 0 ? Math.min(pause, left) : pause, woken).catch(() => undefined);
    }
    return false;
  }

  /**
   * Renews until `signal` is aborted or the lease is lost. Only the loss of the lease aborts a renewal in progress,
   * because the outcome of an aborted renewal is unknown.
   */
  async #keep(signal: AbortSignal): Promise<void> {
    const { clock, retryPeriod } = this.#options;
    while (this.#state.phase === 'leading' && !signal.aborted) {
      const early = new AbortController();
      this.#wakeRenewal = () => early.abort();
      signal.addEventListener('abort', this.#wakeRenewal, { once: true });
      await clock.sleep(retryPeriod, early.signal).catch(() => undefined);
      signal.removeEventListener('abort', this.#wakeRenewal);
      this.#noticeSuspension();
      if (!signal.aborted && this.#state.phase === 'leading') await this.#try(this.tenure);
    }
  }

  /** Called for every state of the lease, also after our own renewals. */
  #onSeen(lease: Lease): void {
    const holder = lease.spec?.holderIdentity ?? '';
    if (this.#state.phase !== 'leading' || holder === this.identity) return;
    this.#lose(new LeadershipLost('taken', `the lease is now held by ${holder || 'no process'}`));
  }

  #onGone(): void {
    if (this.#state.phase !== 'leading') return;
    this.#isGone = true;
    this.#log.warn('the lease was deleted; nothing is written until it exists again');
    this.#wakeRenewal();
  }

  /** One attempt to acquire or renew the lease, with a time limit. Returns the holder, as far as known. */
  async #try(signal: AbortSignal): Promise<string | undefined> {
    const { clock, renewDeadline } = this.#options;
    const attempt = new AbortController();
    const abort = () => attempt.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const timer = clock.schedule(renewDeadline / 2, () =>
      attempt.abort(new KubeError('Timeout', 'the API server took too long to answer a request for the lease')),
    );
    try {
      const { signal: limit } = attempt;
      const state = this.#state;
      const work = state.phase === 'leading' ? this.#renew(state.lease, limit) : this.#takeIfFree(limit);
      return await untilAborted(work, limit);
    } catch (error) {
      if (!signal.aborted) this.#log.warn('lease could not be read or written', { error });
      return undefined;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    }
  }

  async #renew(lease: Lease, signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#write(lease, lease.spec?.acquireTime, lease.spec?.leaseTransitions ?? 0, signal);
    } catch (error) {
      if (!isKubeError(error, 'Conflict', 'NotFound')) throw error;
      // Another candidate wrote the lease, or the answer to our own write was lost: reading the lease shows which.
      await this.#takeIfFree(signal);
    }
    return this.identity;
  }

  async #takeIfFree(signal: AbortSignal): Promise<string | undefined> {
    const { clock } = this.#options;
    const lease = await this.#read(signal);
    const seen = lease ? this.#observe(lease) : this.#observation;
    const verdict = judge(lease, seen, this.identity, clock.monotonic());
    this.#heldUntil = verdict.type === 'wait' ? verdict.until : Number.POSITIVE_INFINITY;
    if (lease === undefined) {
      if (verdict.type === 'wait' && this.#state.phase !== 'leading') return verdict.holder;
      await this.#write(undefined, undefined, 0, signal);
      return this.identity;
    }
    const holder = lease.spec?.holderIdentity ?? '';
    if (this.#state.phase === 'leading' && holder !== this.identity) {
      this.#lose(new LeadershipLost('taken', `the lease is now held by ${holder || 'no process'}`));
      return holder;
    }
    if (verdict.type === 'wait') return verdict.holder;
    const again = holder === this.identity;
    const transitions = (lease.spec?.leaseTransitions ?? 0) + (again ? 0 : 1);
    await this.#write(lease, again ? lease.spec?.acquireTime : undefined, transitions, signal);
    return this.identity;
  }

  #observe(lease: Lease): Observation {
    this.#observation = observe(lease, this.#observation, this.#options.clock.monotonic());
    return this.#observation;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { leaseName: name, leaseNamespace: namespace } = this.#options;
    try {
      return await this.#leases.get({ namespace, name }, { signal });
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /**
   * Writes us as the holder. Our time as the holder counts from before the request, because other candidates may count
   * from then.
   */
  async #write(
    lease: Lease | undefined,
    acquireTime: string | null | undefined,
    leaseTransitions: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, leaseDuration, leaseName, leaseNamespace } = this.#options;
    const renewed = momentOf(clock);
    const time = formatMicroTime(renewed.wall);
    const wanted: Lease = {
      ...(lease ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }),
      metadata: { ...lease?.metadata, name: leaseName, namespace: leaseNamespace },
      spec: {
        ...lease?.spec,
        holderIdentity: this.identity,
        leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
        acquireTime: acquireTime ?? time,
        renewTime: time,
        leaseTransitions,
      },
    };
    const isRenewal = this.#state.phase === 'leading';
    const fence = () => {
      this.#noticeSuspension();
      if (isRenewal && this.#state.phase !== 'leading')
        throw new LeadershipLost('suspended', 'this process does not hold the lease');
    };
    const written = lease
      ? await this.#leases.replace(wanted, { signal, fence })
      : await this.#leases.create(wanted, { signal });
    if (this.#state.phase === 'ended' || !this.#isSure(renewed)) return;
    this.#state = { phase: 'leading', lease: written, renewed };
    this.#isGone = false;
    this.#armDeadline(renewed);
  }

  #armDeadline(renewed: Moment): void {
    const { clock, renewDeadline } = this.#options;
    this.#deadline?.cancel();
    const left = renewed.monotonic + renewDeadline - clock.monotonic();
    this.#deadline = clock.schedule(left, () =>
      this.#lose(new LeadershipLost('deadline', `the lease could not be renewed for ${renewDeadline} ms`)),
    );
  }

  #isSure(renewed: Moment): boolean {
    return isLeaseValid(renewed, momentOf(this.#options.clock), this.#options.renewDeadline);
  }

  #lose(error: LeadershipLost): void {
    if (this.#state.phase !== 'leading') return;
    this.#state = { phase: 'ended' };
    this.#deadline?.cancel();
    this.#status.set(0);
    this.#log.error('lost the lease; stopping all work', { error });
    this.#tenure.abort(error);
    this.#work.abort(error);
  }

  /** Releases the lease if it is still ours. @param hasEnded whether all work under the lease has ended */
  async #release(hasEnded: boolean): Promise<void> {
    const state = this.#state;
    this.#state = { phase: 'ended' };
    this.#tenure.abort(new LeadershipLost('taken', 'the lease is being released'));
    // A lease that may have expired can already belong to another candidate.
    if (state.phase !== 'leading' || !this.#isSure(state.renewed) || !hasEnded || !this.#options.releaseOnExit) return;
    const { clock } = this.#options;
    const patience = new AbortController();
    const timer = clock.schedule(this.#options.retryPeriod, () => patience.abort());
    try {
      const spec = {
        ...state.lease.spec,
        holderIdentity: '',
        leaseDurationSeconds: 1,
        renewTime: formatMicroTime(clock.now()),
      };
      const { signal } = patience;
      await untilAborted(this.#leases.replace({ ...state.lease, spec }, { signal }), signal);
      this.#log.info('released the lease');
    } catch (error) {
      this.#log.warn('lease could not be released; others wait until it expires', { error });
    } finally {
      timer.cancel();
    }
  }
}
