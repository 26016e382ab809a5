// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster, EtcdClusterStatus } from '../api/etcd-cluster.ts';
import { eventReasons as reasons } from '../api/reasons.ts';
import type { Step } from './plan/step.ts';

/** Takes an event about a cluster. Never fails and never waits. */
export interface EventSink {
  record(cluster: EtcdCluster, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** Tells people what happens to their clusters, in the original's words where it had them. */
export class ClusterEvents {
  readonly #sink: EventSink;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  stepDone(cluster: EtcdCluster, step: Step): void {
    const normal = (reason: string, message: string) => this.#sink.record(cluster, 'Normal', reason, message);
    switch (step.do) {
      case 'createSeed':
      case 'joinMember':
        normal(reasons.memberAdded, `New member ${step.name} added to cluster`);
        return;
      case 'removeMember':
        if (step.because === 'dead')
          normal(reasons.replacingDeadMember, `The dead member ${step.name} is being replaced`);
        normal(reasons.memberRemoved, `Existing member ${step.name} removed from the cluster`);
        return;
      case 'setImage':
        if (step.because === 'failed') {
          this.#sink.record(
            cluster,
            'Warning',
            reasons.upgradeFailed,
            `Member ${step.pod} does not run with ${step.from} and goes back to ${step.version}`,
          );
        } else {
          normal(reasons.memberUpgraded, `Member ${step.pod} upgraded from ${step.from} to ${step.version} `);
        }
        return;
      case 'moveLeader':
        normal(reasons.leaderMoved, `Leadership moved to ${step.toName}`);
        return;
      default:
        return;
    }
  }

  /** The API server will not have what the spec asks for. */
  stepRefused(cluster: EtcdCluster, why: string): void {
    if (cluster.status?.plan?.waitingFor?.includes(why)) return;
    this.#sink.record(cluster, 'Warning', reasons.stepRefused, why);
  }

  /** Something undoes what the operator does, or it has no effect. */
  stepWithoutEffect(cluster: EtcdCluster, why: string): void {
    if (cluster.status?.plan?.waitingFor?.includes(why)) return;
    this.#sink.record(cluster, 'Warning', reasons.stepWithoutEffect, why);
  }

  statusChanged(cluster: EtcdCluster, before: EtcdClusterStatus | undefined, after: EtcdClusterStatus): void {
    const reasonOf = (status: EtcdClusterStatus | undefined) =>
      status?.conditions?.find(({ type }) => type === 'Available');
    const [was, is] = [reasonOf(before), reasonOf(after)];
    if (was?.reason === is?.reason) return;
    const isLost = is?.reason === 'QuorumLost' || is?.reason === 'DataLost';
    const wasLost = was?.reason === 'QuorumLost' || was?.reason === 'DataLost';
    if (isLost) this.#sink.record(cluster, 'Warning', reasons.quorumLost, is.message ?? '');
    else if (wasLost) this.#sink.record(cluster, 'Normal', reasons.quorumRestored, 'A quorum of voters answers again');
    if (is?.reason === 'SpecInvalid') this.#sink.record(cluster, 'Warning', reasons.specInvalid, is.message ?? '');
  }
}
