// SPDX-License-Identifier: Apache-2.0
import type { Dialer } from '@operator-parts/etcd';
import { type Client, formatTime } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import type { PodGrants } from '../../cluster/grants/pod-grants.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { deliverSource } from '../../restore/act/deliver-source.ts';
import type { JobContext } from '../../restore/jobs.ts';
import type { AgentSource } from '../../restore/objects/seed-pod.ts';
import type { SourceFacts } from '../../restore/observation.ts';
import { inspectSource } from '../../restore/source/inspect-source.ts';
import { inspectStored, type Source } from '../../restore/source/inspected-source.ts';
import { openBackup } from '../../storage/encryption/backup-reader.ts';
import { specKeys } from '../../storage/encryption/secret-keys.ts';
import type { Manifest } from '../../storage/manifest.ts';
import { openStore, type StorageSettings } from '../../storage/open-store.ts';
import { type ReadSecret, secretReader } from '../../storage/secret-reader.ts';
import { keyBeside } from '../../storage/storage-place.ts';
import { isOwnKey } from '../act/stored/leftovers.ts';
import type { BackupOrder } from '../observe/backup-order.ts';
import { judgeProof } from './judge-proof.ts';
import { ProofError } from './proof-error.ts';
import { ProofMember } from './proof-member.ts';
import { outcomeOf } from './proof-outcome.ts';
import { proofPodName } from './proof-pod.ts';
import { proofTarget } from './proof-target.ts';
import type { ProofOutcome } from './proofs.ts';

/** One stored backup to prove, that is, to restore as a test. */
export interface ProofJob {
  readonly backup: EtcdBackup;
  readonly order: BackupOrder;
  /** Path of the stored backup, as users write it. */
  readonly path: string;
}

export interface ProofPorts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly storage: StorageSettings;
  readonly dial: Dialer;
  /** Throws if this process must not send or delete anything now. */
  readonly fence: () => void;
  readonly grants: PodGrants;
  readonly agent: (signal: AbortSignal) => Promise<AgentSource>;
}

/**
 * Proves one stored backup: copies it from the store into a temporary member as a restore does, starts etcd with it, and compares what etcd
 * serves with the backup. No request is sent to the members of the cluster. Resolves with the outcome, good or bad; rejects only if the
 * proof is cancelled.
 */
export async function proveBackup(job: ProofJob, ports: ProofPorts, context: JobContext): Promise<ProofOutcome> {
  await using member = new ProofMember(identityOf(job.backup), ports, context.signal);
  try {
    // Deletes the pod of an earlier proof.
    await member.remove();
    return await prove(job, member, ports, context);
  } catch (error) {
    context.signal.throwIfAborted();
    ports.log.info('the test restore of a backup failed', { path: job.path, error });
    return { ...outcomeOf(error), hasPod: member.isCreated };
  }
}

async function prove(
  job: ProofJob,
  member: ProofMember,
  ports: ProofPorts,
  context: JobContext,
): Promise<ProofOutcome> {
  const { backup, order, path } = job;
  const { signal } = context;
  const namespace = backup.metadata?.namespace ?? '';
  const readSecret = secretReader(ports.client, namespace, signal, ports.storage);
  const keys = await specKeys(backup.spec.encryption, readSecret);
  const request = { type: order.place.type, sources: backup.spec, namespace, readSecret };
  const { store, place } = await openStore(request, { ...ports.storage, clock: ports.clock, logger: ports.log });
  try {
    const key = keyBeside(place, path);
    // Users and other programs can write the status too. A proof restores only backups of this EtcdBackup.
    if (key === undefined || !isOwnKey(place.key, key))
      throw new ProofError(
        'untried',
        'NotProvenYet',
        'this backup is not stored at the path in the spec. The next backup is tested instead',
      );
    const opened = await openBackup(store, { key, keys }, signal);
    const source: Source = { place: { ...place, key, path }, keys, store: opened };
    const { manifest } = await inspectStored(source, signal);
    const facts = await inspectSource(source, { acceptWithoutHash: false }, context);
    return await compare(job, { source, facts, manifest, readSecret, member }, ports, context);
  } finally {
    store.close();
  }
}

interface InspectedBackup {
  readonly source: Source;
  readonly facts: SourceFacts;
  readonly manifest: Manifest | undefined;
  readonly readSecret: ReadSecret;
  readonly member: ProofMember;
}

async function compare(
  { backup, order, path }: ProofJob,
  { source, facts, manifest, readSecret, member }: InspectedBackup,
  ports: ProofPorts,
  context: JobContext,
): Promise<ProofOutcome> {
  const { signal } = context;
  const target = await proofTarget({ backup, order, facts }, { ...ports, readSecret }, signal);
  const agent = await member.start({ ...target, agent: await ports.agent(signal), bytes: facts.bytes });
  const delivered = await deliverSource(
    source,
    { source: facts, agent, kept: undefined, acceptWithoutHash: false },
    context,
  );
  if (delivered.verified !== 'Manifest' || !manifest)
    throw new ProofError(
      'refuted',
      'BackupDamaged',
      'the manifest of the backup is missing, does not match the backup, or was not authenticated with the key of the backup',
    );
  const report = await member.report();
  const expected = {
    revision: manifest.revision,
    clusterId: manifest.clusterId,
    member: proofPodName(identityOf(backup)),
  };
  const problem = judgeProof(report, expected);
  if (problem) throw new ProofError('refuted', problem.reason, problem.message);
  await member.discard();
  const { revision: etcdRevision, keys, hash } = report.served;
  const proven = {
    ...{ path, sha256: delivered.sha256 ?? '', backupDate: manifest.time, provenDate: formatTime(ports.clock.now()) },
    ...{ etcdVersion: report.etcdVersion, etcdRevision, keys, hash },
  };
  return { kind: 'proven', proven };
}
