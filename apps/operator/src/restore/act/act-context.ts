// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError } from '@operator-parts/kube';
import type { Random } from '@operator-parts/ports';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { EtcdRestore } from '../../api/etcd-restore.ts';
import type { Desired } from '../../cluster/desired.ts';
import type { TlsKeyStyles } from '../../cluster/objects/tls-volumes.ts';
import type { AgentSource } from '../objects/seed-pod.ts';
import type { SourceFacts } from '../observation.ts';
import type { RestoreStep } from '../plan/step.ts';

/** What the code that carries out a step may use. It takes no decisions; the plan has taken them all. */
export interface ActContext {
  readonly client: Client;
  readonly random: Random;
  readonly restore: EtcdRestore;
  readonly cluster: EtcdCluster | undefined;
  readonly desired: Desired | undefined;
  readonly source: SourceFacts | undefined;
  readonly revisionBump: number;
  readonly tlsKeys: TlsKeyStyles;
  readonly agent: AgentSource;
  readonly jobs: BackgroundWork;
  readonly signal: AbortSignal;
}

/** Starts background jobs. */
export interface BackgroundWork {
  inspect(): void;
  verify(): void;
  save(step: Extract<RestoreStep, { do: 'save' }>): void;
  deliver(ip: string, agent: string): void;
  /**
   * Sends a snapshot of a survivor to the pod at this address. A survivor is a member that still has data of a cluster without a quorum.
   */
  hold(member: string, ip: string): void;
  compare(): void;
  write(): void;
}

/** Ignores a write that fails because the object no longer exists. */
export async function ignoreIfDeleted(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}
