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
        if (step.because === 'corrupt') {
          const words = `Member ${step.name} is being replaced: its data differs from the majority's, or may differ`;
          this.#sink.record(cluster, 'Warning', reasons.replacingCorruptMember, words);
        }
        normal(reasons.memberRemoved, `Existing member ${step.name} removed from the cluster`);
        return;
      case 'setImage':
        this.#imageSet(cluster, step);
        return;
      case 'moveLeader':
        normal(reasons.leaderMoved, `Leadership moved to ${step.toName}`);
        return;
      case 'ensureService':
      case 'ensureBudget':
      case 'deleteBudget':
      case 'latchIdentity':
      case 'createPod':
      case 'disarm':
      case 'promote':
      case 'readdress':
      case 'deletePod':
      case 'renewBootList':
      case 'deleteVolume':
      case 'fencePod':
      case 'unfencePod':
      case 'updatePod':
      case 'checkImage':
      case 'deleteImageCheck':
      case 'settleImage':
      case 'setSnapshotCount':
      case 'nudgeSnapshot':
      case 'enableDowngrade':
      case 'cancelDowngrade':
      case 'resizePod':
      case 'disarmAlarm':
        return;
    }
  }

  #imageSet(cluster: EtcdCluster, { because, pod, from, version }: Extract<Step, { do: 'setImage' }>): void {
    const failed = `Member ${pod} does not run with ${from} and goes back to ${version}`;
    const upgraded = `Member ${pod} upgraded from ${from} to ${version} `;
    if (because === 'failed') this.#sink.record(cluster, 'Warning', reasons.upgradeFailed, failed);
    else this.#sink.record(cluster, 'Normal', reasons.memberUpgraded, upgraded);
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
    if (is?.reason === 'Unreachable') this.#sink.record(cluster, 'Warning', reasons.unreachable, is.message ?? '');
    if (isAlarm(is?.reason)) this.#sink.record(cluster, 'Warning', reasons.alarmRaised, is?.message ?? '');
    else if (isAlarm(was?.reason) && is?.status === 'True')
      this.#sink.record(cluster, 'Normal', reasons.alarmCleared, 'The alarm is gone, and clients can write again');
    if (is?.reason === 'SpecInvalid') this.#sink.record(cluster, 'Warning', reasons.specInvalid, is.message ?? '');
  }
}

function isAlarm(reason: string | undefined): boolean {
  return reason === 'NoSpace' || reason === 'Corrupt';
}
