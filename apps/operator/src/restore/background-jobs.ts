// SPDX-License-Identifier: Apache-2.0
import { type Dialer, networkDialer } from '@operator-parts/etcd';
import { keyOf, secrets } from '@operator-parts/kube';
import type { EtcdRestore } from '../api/etcd-restore.ts';
import { backupEventReasons } from '../api/reasons.ts';
import { identityOf } from '../identity/object-identity.ts';
import { openBackup } from '../storage/encryption/backup-reader.ts';
import { specKeys } from '../storage/encryption/secret-keys.ts';
import { type OpenedStorage, openStore } from '../storage/open-store.ts';
import { unlabelledMessage } from '../storage/secret-label.ts';
import { secretReader } from '../storage/secret-reader.ts';
import type { BackgroundWork } from './act/act-context.ts';
import { type MemberSearch, withMember } from './act/chosen-member.ts';
import { deliverClone, inspectCluster } from './act/clone-cluster.ts';
import { deliverPoint } from './act/deliver-point.ts';
import { deliverSource } from './act/deliver-source.ts';
import { deliverSurvivor, holdSnapshot, type SurvivorDelivery } from './act/deliver-survivor.ts';
import { saveOldMembers } from './act/save-old-members.ts';
import { surveyCluster } from './act/survey-members.ts';
import type { AgentAddress } from './delivery/agent-connection.ts';
import { keyName } from './delivery/channel.ts';
import { jobNames, jobPrefix } from './job-names.ts';
import type { JobContext } from './jobs.ts';
import { secretNameOf } from './objects/restore-secret.ts';
import type { SourceFacts } from './observation.ts';
import { type Found, memberClient, type ObservedRestore } from './observe/observe.ts';
import { goalOf } from './point-in-time/goal.ts';
import { verifyPoint } from './point-in-time/verify-point.ts';
import { whyNotToWrite } from './prefixes/may-write.ts';
import { comparedPoint, comparePrefixes, type PrefixWork, writeRecorded } from './prefixes/prefix-jobs.ts';
import type { RestoreReconcilerOptions } from './reconciler-options.ts';
import { RestoreError, refuseOther } from './restore-error.ts';
import { inspectSource } from './source/inspect-source.ts';
import type { Source } from './source/inspected-source.ts';
import type { Kept } from './source/scratch.ts';
import { verifySource } from './source/verify-source.ts';

type Work = (context: JobContext) => Promise<unknown>;

/** Runs work with something that has to be opened before and closed afterwards. */
type With<Opened> = <T>(
  work: (opened: Opened, context: JobContext) => Promise<T>,
) => (context: JobContext) => Promise<T>;

type Keep = (bytes: number) => Promise<Kept | undefined>;

interface Ways {
  readonly verify: Work;
  readonly deliver: (ip: string) => Work;
  /** Verifies a backup and keeps its bytes; undefined if the source is not a backup. */
  readonly fetch: ((keep: Keep) => (context: JobContext) => Promise<SourceFacts>) | undefined;
}

/** The work of restores that lasts longer than one reconciliation: what each job opens, and what it is given. */
export class BackgroundJobs {
  readonly #options: RestoreReconcilerOptions;

  constructor(options: RestoreReconcilerOptions) {
    this.#options = options;
  }

  /** The jobs of one restore, as it was observed. */
  of(found: Found, observed: ObservedRestore): BackgroundWork {
    const { restore } = found;
    const { jobs, semaphores } = this.#options;
    const { namespace } = identityOf(restore);
    const names = jobNames(restore);
    const withStore = this.#withStore(restore);
    const withSource: With<Source> = (work) =>
      withStore(async ({ store, place, keys }, context) =>
        work({ place, keys, store: await openBackup(store, { key: place.key, keys }, context.signal) }, context),
      );
    const { acceptWithoutHash = false } = restore.spec;
    const ways = this.#ways(found, observed, { withStore, withSource });
    const { verify, deliver } = ways;
    const ofKeys =
      (work: (parts: PrefixWork, context: JobContext) => Promise<unknown>): Work =>
      (context) =>
        work(this.#prefixWork(found, observed, ways, context), context);
    return {
      inspect: () =>
        jobs.start(
          names.inspect,
          withSource((source, context) => inspectSource(source, { acceptWithoutHash }, context)),
        ),
      verify: () => jobs.start(names.verify, verify, { semaphore: semaphores.read, namespace }),
      save: (step) =>
        jobs.start(
          names.save,
          withStore((opened, context) => {
            const { find, clock, dial } = this.#options;
            const pods = () => find(keyOf(restore))?.pods ?? [];
            return saveOldMembers(
              step,
              { ...found, pods, credentials: observed.credentials, opened, clock, dial },
              context,
            );
          }),
          { semaphore: semaphores.move, namespace },
        ),
      hold: (member, ip) => {
        const work = async (context: JobContext) =>
          holdSnapshot(
            member,
            identityOf(restore),
            await this.#survivorDelivery(found, observed, ip, context.signal),
            context,
          );
        jobs.start(names.save, work, { semaphore: semaphores.move, namespace });
      },
      deliver: (ip, agent) => jobs.start(names.deliver(agent), deliver(ip), { semaphore: semaphores.move, namespace }),
      compare: () => jobs.start(names.compare, ofKeys(comparePrefixes), { semaphore: semaphores.read, namespace }),
      write: () => jobs.start(names.write, ofKeys(writeRecorded), { semaphore: semaphores.move, namespace }),
    };
  }

  #withStore(restore: EtcdRestore): With<OpenedStorage> {
    return (work) => async (context) => {
      const opened = await this.#open(restore, context.signal);
      try {
        return await work(opened, context);
      } finally {
        opened.store.close();
      }
    };
  }

  /** How the source is inspected, and how it is delivered to the first member. */
  #ways(
    found: Found,
    observed: ObservedRestore,
    { withStore, withSource }: { readonly withStore: With<OpenedStorage>; readonly withSource: With<Source> },
  ): Ways {
    const { acceptWithoutHash = false, encryption, pointInTime, source = {} } = found.restore.spec;
    const { survivor, cluster: original } = source;
    if (survivor)
      return {
        fetch: undefined,
        verify: (context) => surveyCluster(found, observed, this.#dialing, context),
        deliver: (ip) => async (context) => {
          const source = expectSource(observed.observation.restore.source);
          return deliverSurvivor(source, await this.#survivorDelivery(found, observed, ip, context.signal), context);
        },
      };
    const { namespace } = identityOf(found.restore);
    if (original !== undefined)
      return {
        fetch: undefined,
        verify: (context) => inspectCluster(original, this.#searching(namespace, context), context),
        deliver: (ip) => (context) => this.#deliverClone(found, observed, original, ip, context),
      };
    const prefix = jobPrefix(found.restore);
    // If the backup is encrypted in the store, it is not written to a disk unencrypted.
    const keep: Keep = encryption ? async () => undefined : (bytes) => this.#options.scratch.keep(prefix, bytes);
    if (pointInTime) {
      const compared = comparedPoint(observed.observation.restore.prefixes);
      const goal = () =>
        compared ? { revision: BigInt(compared.revision), snapshot: compared.snapshot } : goalOf(pointInTime);
      const fetch = (kept: Keep) => withStore((opened, context) => verifyPoint(opened, goal(), kept, context));
      return {
        fetch,
        verify: fetch(keep),
        deliver: (ip) => withStore((opened, context) => this.#deliverPoint(found, observed, ip, opened, context)),
      };
    }
    const fetch = (kept: Keep) =>
      withSource((source, context) => verifySource(source, { acceptWithoutHash, keep: kept }, context));
    return {
      fetch,
      verify: fetch(keep),
      deliver: (ip) => withSource((source, context) => this.#deliver(found, observed, ip, source, context)),
    };
  }

  #prefixWork({ restore }: Found, { observation }: ObservedRestore, { fetch }: Ways, context: JobContext): PrefixWork {
    const { scratch, random } = this.#options;
    const { prefixes, clusterName: name, safety } = observation.restore;
    if (!fetch || !prefixes) throw new RestoreError('SourceRefused', 'spec.prefixes needs a backup');
    const search = this.#searching(identityOf(restore).namespace, context);
    return {
      place: { scratch, random, name: `${jobPrefix(restore)}prefixes` },
      prefixes,
      fetch: (keep) => fetch(keep)(context),
      quotaBytes: observation.cluster?.limits.quotaBytes ?? Number.POSITIVE_INFINITY,
      savedUpTo: safety?.kind === 'kept' ? BigInt(safety.revision) : undefined,
      mayWrite: () => this.#checkMayWrite(restore),
      withMember: (work) => withMember({ name, field: 'spec.etcdCluster' }, search, work),
    };
  }

  #checkMayWrite(restore: EtcdRestore): void {
    this.#options.fence();
    const why = whyNotToWrite(restore, this.#options.find(keyOf(restore)));
    if (why !== undefined) throw new RestoreError('NotDelivered', why);
  }

  async #open(restore: EtcdRestore, signal: AbortSignal): Promise<OpenedStorage> {
    const { client, storage, event } = this.#options;
    const { namespace } = identityOf(restore);
    const onUnlabelled = (name: string) =>
      event(restore, 'Warning', backupEventReasons.secretUnlabelled, unlabelledMessage(namespace, [name]));
    const readSecret = secretReader(client, namespace, signal, { ...storage, onUnlabelled });
    const request = { type: restore.spec.backupStorageType ?? '', sources: restore.spec, namespace, readSecret };
    const keys = await specKeys(restore.spec.encryption, readSecret);
    return { ...(await openStore(request, storage)), keys };
  }

  async #deliver(
    { restore }: Found,
    { observation }: ObservedRestore,
    ip: string,
    opened: Source,
    context: JobContext,
  ): Promise<SourceFacts> {
    const source = expectSource(observation.restore.source);
    const agent = await this.#agentAt(ip, restore, context.signal);
    const kept = await this.#options.scratch.read(jobPrefix(restore), source.bytes);
    const acceptWithoutHash = restore.spec.acceptWithoutHash ?? false;
    const delivered = await deliverSource(opened, { source, agent, kept, acceptWithoutHash }, context).catch(
      refuseOther,
    );
    // The agent has the data, so the copy is deleted: this makes room for other restores, and the disk has less to write.
    await this.#options.scratch.forget(jobPrefix(restore));
    return delivered;
  }

  async #deliverPoint(
    { restore }: Found,
    { observation }: ObservedRestore,
    ip: string,
    opened: OpenedStorage,
    context: JobContext,
  ): Promise<SourceFacts> {
    const source = expectSource(observation.restore.source);
    const agent = await this.#agentAt(ip, restore, context.signal);
    const kept = await this.#options.scratch.read(jobPrefix(restore), source.bytes);
    const delivered = await deliverPoint(opened, { source, agent, kept }, context);
    await this.#options.scratch.forget(jobPrefix(restore));
    return delivered;
  }

  async #survivorDelivery(
    found: Found,
    observed: ObservedRestore,
    ip: string,
    signal: AbortSignal,
  ): Promise<SurvivorDelivery> {
    const { restore, cluster } = found;
    if (!cluster) throw new RestoreError('NotDelivered', 'the EtcdCluster was deleted during the restore');
    const { namespace } = identityOf(restore);
    return {
      ...{ client: this.#options.client, namespace, cached: this.#options.find(keyOf(restore))?.pods ?? [] },
      connect: (pod) => memberClient(pod, cluster, observed.credentials, this.#dialing),
      agent: await this.#agentAt(ip, restore, signal),
    };
  }

  async #deliverClone(
    { restore }: Found,
    { observation }: ObservedRestore,
    original: string,
    ip: string,
    context: JobContext,
  ): Promise<SourceFacts> {
    const source = expectSource(observation.restore.source);
    const agent = await this.#agentAt(ip, restore, context.signal);
    const search = this.#searching(identityOf(restore).namespace, context);
    return deliverClone(original, { source, agent, search }, context);
  }

  /**
   * Searches only in the namespace of the EtcdRestore: the author of the EtcdRestore could back up the clusters of this namespace, but no
   * other clusters (safety rule 17).
   */
  #searching(namespace: string, { signal }: JobContext): MemberSearch {
    const { client, clock, dial = networkDialer } = this.#options;
    return { client, clock, dial, namespace, signal };
  }

  get #dialing(): Pick<RestoreReconcilerOptions, 'clock'> & { readonly dial: Dialer | undefined } {
    const { clock, dial } = this.#options;
    return { clock, dial };
  }

  async #agentAt(ip: string, restore: EtcdRestore, signal: AbortSignal): Promise<AgentAddress> {
    const key = await this.#key(restore, signal);
    const { dial = networkDialer, clock, fence } = this.#options;
    return { ip, uid: identityOf(restore).uid, key, dial, clock, fence, patience: agentPatience };
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

/** How long one attempt waits for an agent that does not listen yet. */
const agentPatience = 10_000;

function expectSource(source: SourceFacts | undefined): SourceFacts {
  if (!source)
    throw new RestoreError(
      'SourceRefused',
      'the result of the backup verification was lost. Create another EtcdRestore',
    );
  return source;
}
