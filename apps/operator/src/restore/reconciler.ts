// SPDX-License-Identifier: Apache-2.0
import {
  done,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  requeueAfter,
} from '@etcd-operator/controller-runtime';
import { type Dialer, networkDialer } from '@etcd-operator/etcd';
import { type Client, isKubeError, keyOf, keyString, secrets } from '@etcd-operator/kube';
import type { Clock, Random } from '@etcd-operator/ports';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { fieldManager } from '../api/names.ts';
import { statusPatch } from '../api/status-patch.ts';
import { SeenFor } from '../backup/seen-for.ts';
import type { Turns } from '../backup/take/turns.ts';
import { identityOf } from '../cluster/act/cluster-identity.ts';
import type { ClusterSecrets } from '../cluster/secrets/cluster-secrets.ts';
import { openStore, type StorageSettings } from '../storage/open-store.ts';
import { secretReader } from '../storage/secret-reader.ts';
import { act } from './act/act.ts';
import type { BackgroundWork } from './act/act-context.ts';
import { deliverSource } from './act/deliver-source.ts';
import { saveOldMembers } from './act/save-old-members.ts';
import { keyName } from './delivery/channel.ts';
import type { JobContext, Jobs } from './jobs.ts';
import { secretNameOf } from './objects/restore-secret.ts';
import type { AgentSource } from './objects/seed-pod.ts';
import type { SourceFacts } from './observation.ts';
import { type Found, type Look, observe } from './observe/observe.ts';
import { planRestore } from './plan/plan.ts';
import type { RestorePlan } from './plan/step.ts';
import { RestoreError } from './restore-error.ts';
import { inspectSource } from './source/inspect-source.ts';
import type { Scratch } from './source/scratch.ts';
import { verifySource } from './source/verify-source.ts';
import { nextStatus } from './status.ts';

export interface RestoreReconcilerOptions {
  /** Whether it may read nodes. @default true */
  readonly readsNodes?: boolean;
  /** For what goes on beside the looks; it only reads. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** The objects around a restore, from the caches; undefined if it is gone. */
  readonly find: (request: Request) => Found | undefined;
  readonly secrets: ClusterSecrets;
  readonly jobs: Jobs;
  /** How many may read a backup, and how many may move data while a cluster is isolated, at the same time. */
  readonly turns: { readonly read: Turns; readonly move: Turns };
  /** Whether this operator looks after an object (its scope annotation). */
  readonly isManaged: (restore: EtcdRestore) => boolean;
  readonly storage: StorageSettings;
  /** Where sources stay between being verified and being delivered. */
  readonly scratch: Scratch;
  readonly agent: AgentSource;
  /** Who holds the lock of an operator of the original kind; nothing is touched while somebody does. */
  readonly oldOperator: () => string | undefined;
  readonly event: (restore: EtcdRestore, type: 'Normal' | 'Warning', reason: string, message: string) => void;
  readonly dial?: Dialer;
}

/** Observe, plan, act, report: one pass over one restore. */
export class RestoreReconciler implements Reconciler {
  readonly #options: RestoreReconcilerOptions;
  /** UIDs of the clusters whose Secrets are remembered, by restore. */
  readonly #clusters = new Map<string, string>();
  /** For how long each restore has been seen to have ended. */
  readonly #seenFor: SeenFor;

  constructor(options: RestoreReconcilerOptions) {
    this.#options = options;
    this.#seenFor = new SeenFor(options.clock);
  }

  async reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    const found = this.#options.find(request);
    if (!found || !this.#options.isManaged(found.restore)) {
      await this.#forget(request);
      this.#seenFor.forget(keyString(request));
      return done();
    }
    if (this.#options.oldOperator() !== undefined) return requeueAfter(5_000);
    // A new spec is new work: what was begun for another one ends.
    this.#options.jobs.forget(`${keyString(request)}/`, this.#prefix(found.restore));
    const look = await this.#look(found, context);
    const plan = planRestore(look.observation, this.#options.clock.now());
    const trouble = await this.#act(found, look, plan, context);
    if (trouble) {
      await this.#report(found.restore, withTrouble(plan, trouble.error), context);
      throw trouble.error;
    }
    const isWritten = await this.#report(found.restore, plan, context);
    if (plan.lookAgainAfter === undefined) return done();
    return requeueAfter(isWritten ? Math.min(20, plan.lookAgainAfter) : Math.max(20, plan.lookAgainAfter));
  }

  /** What is remembered of a restore that is gone, over, or another operator's. */
  async #forget(request: Request): Promise<void> {
    const key = keyString(request);
    this.#options.jobs.forget(`${key}/`);
    await this.#options.scratch.forget(`${key}/`);
    const cluster = this.#clusters.get(key);
    this.#clusters.delete(key);
    // Another restore of the same cluster reads its Secrets again.
    if (cluster !== undefined) this.#options.secrets.forget(cluster);
  }

  #look(found: Found, { client, signal }: ReconcileContext): Promise<Look> {
    const { clock, dial, jobs } = this.#options;
    const prefix = this.#prefix(found.restore);
    if (found.cluster) this.#clusters.set(keyString(keyOf(found.restore)), identityOf(found.cluster).uid);
    return observe(found, {
      client,
      clock,
      dial,
      secrets: this.#options.secrets,
      jobs: (agent) => ({
        inspect: jobs.state(`${prefix}inspect`),
        verify: jobs.state(`${prefix}verify`),
        save: jobs.state(`${prefix}save`),
        deliver: jobs.state(`${prefix}deliver/${agent}`),
      }),
      endedFor: this.#endedFor(found.restore),
      readsNodes: this.#options.readsNodes ?? true,
      signal,
    });
  }

  /** By the monotonic clock: when it completed is recorded by a wall clock, which somebody may set. */
  #endedFor(restore: EtcdRestore): number {
    const { uid } = identityOf(restore);
    const { completedAt } = restore.status ?? {};
    const seen = this.#seenFor.of(keyString(keyOf(restore)), 'completedAt', completedAt && `${uid} ${completedAt}`);
    return completedAt ? seen : 0;
  }

  /** What the API server refused, told and not thrown: the status says it first. */
  async #act(
    found: Found,
    look: Look,
    plan: RestorePlan,
    { client, log, signal }: ReconcileContext,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { observation, tlsKeys } = look;
    const { desired } = observation.cluster ?? {};
    const context = {
      client,
      random: this.#options.random,
      restore: found.restore,
      cluster: found.cluster,
      desired: desired && !('problems' in desired) ? desired : undefined,
      source: observation.restore.source,
      revisionBump: observation.restore.revisionBump,
      tlsKeys,
      agent: this.#options.agent,
      jobs: this.#work(found, look),
      signal,
    };
    for (const { step, reason } of plan.steps) {
      log.info('step', { do: step.do, reason });
      try {
        await act(step, context);
      } catch (error) {
        if (isKubeError(error, 'Forbidden', 'Invalid')) return { error };
        throw error;
      }
    }
    if (isOver(observation.restore.ended, plan)) await this.#forget(keyOf(found.restore));
    return undefined;
  }

  /** True if something new was written. */
  async #report(restore: EtcdRestore, { report }: RestorePlan, { client, signal }: ReconcileContext): Promise<boolean> {
    if (!report) return false;
    const { name, namespace, uid } = identityOf(restore);
    const now = new Date(this.#options.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const next = nextStatus(restore.status, restore.metadata?.generation ?? 0, report, now);
    if (!next) return false;
    const patch = { metadata: { uid }, status: statusPatch(restore.status, next) };
    await client
      .resource(etcdRestores.resource)
      .status.patch({ name, namespace }, { type: 'merge', patch }, { fieldManager, signal });
    if (restore.status?.phase !== report.phase) {
      const type = report.phase === 'Failed' || report.phase === 'RollingBack' ? 'Warning' : 'Normal';
      this.#options.event(restore, type, `Restore${report.phase}`, report.reason || eventWords[report.phase]);
    }
    return true;
  }

  /** A new spec is new work: what was begun for another one is not looked at. */
  #prefix(restore: EtcdRestore): string {
    const { namespace, name, uid } = identityOf(restore);
    return `${namespace}/${name}/${uid}/${restore.metadata?.generation ?? 0}/`;
  }

  #work(found: Found, look: Look): BackgroundWork {
    const { restore } = found;
    const { jobs, client } = this.#options;
    const prefix = this.#prefix(restore);
    const open = (signal: AbortSignal) => {
      const { namespace } = identityOf(restore);
      const readSecret = secretReader(client, namespace, signal);
      const request = { type: restore.spec.backupStorageType, sources: restore.spec, namespace, readSecret };
      return openStore(request, this.#options.storage);
    };
    type Opened = Awaited<ReturnType<typeof open>>;
    const withStore =
      (work: (opened: Opened, context: JobContext) => Promise<unknown>) => async (context: JobContext) => {
        const opened = await open(context.signal);
        try {
          return await work(opened, context);
        } finally {
          opened.store.close();
        }
      };
    const acceptWithoutHash = restore.spec.acceptWithoutHash ?? false;
    const options = { acceptWithoutHash, keep: (bytes: number) => this.#options.scratch.keep(prefix, bytes) };
    return {
      inspect: () =>
        jobs.start(
          `${prefix}inspect`,
          withStore((opened, context) => inspectSource(opened, { acceptWithoutHash }, context)),
        ),
      verify: () =>
        jobs.start(
          `${prefix}verify`,
          withStore((opened, context) => verifySource(opened, options, context)),
          this.#options.turns.read,
        ),
      save: (step) =>
        jobs.start(
          `${prefix}save`,
          withStore((opened, context) => {
            const { find, clock, dial } = this.#options;
            const pods = () => find(keyOf(restore))?.pods ?? [];
            return saveOldMembers(
              step,
              { ...found, pods, credentials: look.credentials, opened, clock, dial },
              context,
            );
          }),
          this.#options.turns.move,
        ),
      deliver: (ip, agent) =>
        jobs.start(
          `${prefix}deliver/${agent}`,
          withStore((opened, context) => this.#deliver(found, look, ip, opened, context)),
          this.#options.turns.move,
        ),
    };
  }

  async #deliver(
    { restore }: Found,
    { observation }: Look,
    ip: string,
    opened: Awaited<ReturnType<typeof openStore>>,
    context: JobContext,
  ): Promise<SourceFacts> {
    const source = expectSource(observation.restore.source);
    const key = await this.#key(restore, context.signal);
    const kept = await this.#options.scratch.read(this.#prefix(restore), source.bytes);
    const { dial = networkDialer, clock } = this.#options;
    const agent = { ip, uid: identityOf(restore).uid, key, dial, clock, patience: agentPatience };
    const acceptWithoutHash = restore.spec.acceptWithoutHash ?? false;
    const delivered = await deliverSource(opened, { source, agent, kept, acceptWithoutHash }, context);
    // The agent has it: room for others, and less for the disk to write.
    await this.#options.scratch.forget(this.#prefix(restore));
    return delivered;
  }

  async #key(restore: EtcdRestore, signal: AbortSignal): Promise<Uint8Array> {
    const identity = identityOf(restore);
    const name = secretNameOf(identity);
    const { data } = await this.#options.client
      .resource(secrets)
      .get({ namespace: identity.namespace, name }, { signal });
    return Buffer.from(Buffer.from(data?.[keyName] ?? '', 'base64').toString('utf8'), 'hex');
  }
}

/** A quota or a webhook says no: a person reads why in the status, while it is tried again. */
function withTrouble(plan: RestorePlan, error: unknown): RestorePlan {
  const reason = error instanceof Error ? error.message.slice(0, 900) : String(error);
  return { ...plan, report: plan.report && { phase: plan.report.phase, reason } };
}

/** Names of jobs begin with the namespace and the name of their restore, neither of which has a slash in it. */
export function restoreOfJob(job: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = job.split('/');
  return { namespace, name };
}

/** How long one try waits for an agent that does not listen yet. */
const agentPatience = 10_000;

const eventWords = {
  Verifying: 'The backup is read and checked',
  Preparing: 'The backup may be restored',
  Fencing: 'The old members are taken from behind the Services',
  SavingPresent: 'What the old members hold is stored beside the backup',
  Seeding: 'The first member is made from the backup',
  Growing: 'The restored data serves; the other members join',
  CleaningUp: 'The restored cluster is available; the old members go',
  Succeeded: 'The cluster is restored and available',
  RollingBack: 'Everything is put back as it was',
  Failed: 'The cluster was not restored',
} as const;

/** What was begun in the background is of no use any more. */
function isOver(ended: string | undefined, { report }: RestorePlan): boolean {
  return ended !== undefined || report?.phase === 'RollingBack' || report?.phase === 'Failed';
}

function expectSource(source: SourceFacts | undefined): SourceFacts {
  if (!source) throw new RestoreError('SourceRefused', 'what was verified is not known any more');
  return source;
}
