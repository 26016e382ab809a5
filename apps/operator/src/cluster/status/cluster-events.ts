// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster, EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { conditionReasons, conditionTypes, eventReasons as reasons } from '../../api/reasons.ts';
import { isOrAre } from '../../counted.ts';
import { membersNamed } from '../plan/sentence.ts';
import type { Step } from '../plan/step.ts';

/** Records an event about a cluster. Never fails and never waits. */
export interface EventSink {
  record(cluster: EtcdCluster, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** Sends events about clusters. Events that CoreOS etcd-operator had as well keep their texts. */
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
        this.#memberRemoved(cluster, step);
        return;
      case 'setImage':
        if (step.because === 'failed')
          this.#sink.record(cluster, 'Warning', reasons.upgradeFailed, describeRollBack(step));
        return;
      case 'confirmImage':
        // A change to another image with the same version is no upgrade.
        if (step.from !== step.version)
          normal(reasons.memberUpgraded, `Member ${step.pod} upgraded from ${step.from} to ${step.version} `);
        return;
      case 'moveLeader':
        normal(reasons.leaderMoved, `Leadership moved to member ${step.toName}.`);
        return;
      case 'recoverQuorum':
        this.#sink.record(cluster, 'Warning', reasons.recoveringQuorum, describeRecovery(step));
        return;
      case 'ensureService':
      case 'ensureBudget':
      case 'deleteBudget':
      case 'recordIdentity':
      case 'createPod':
      case 'clearBootstrap':
      case 'promote':
      case 'readdress':
      case 'deletePod':
      case 'renewBootList':
      case 'deleteVolume':
      case 'isolatePod':
      case 'unisolatePod':
      case 'updatePod':
      case 'checkImage':
      case 'deleteImageCheck':
      case 'setSnapshotCount':
      case 'nudgeSnapshot':
      case 'enableDowngrade':
      case 'cancelDowngrade':
      case 'resizePod':
      case 'disarmAlarm':
        return;
    }
  }

  #memberRemoved(cluster: EtcdCluster, { name, because }: Extract<Step, { do: 'removeMember' }>): void {
    const normal = (reason: string, message: string) => this.#sink.record(cluster, 'Normal', reason, message);
    if (because === 'dead') normal(reasons.replacingDeadMember, `The dead member ${name} is being replaced`);
    if (because === 'corrupt') {
      const words = `Replacing member ${name}: its data differs from the majority, or may differ.`;
      this.#sink.record(cluster, 'Warning', reasons.replacingCorruptMember, words);
    }
    normal(reasons.memberRemoved, `Existing member ${name} removed from the cluster`);
  }

  /** The API server does not accept what the spec asks for. */
  stepRefused(cluster: EtcdCluster, why: string): void {
    if (cluster.status?.plan?.waitingFor?.includes(why)) return;
    this.#sink.record(cluster, 'Warning', reasons.stepRefused, why);
  }

  /** Another component reverts what the operator does, or the step has no effect. */
  stepWithoutEffect(cluster: EtcdCluster, why: string): void {
    if (cluster.status?.plan?.waitingFor?.includes(why)) return;
    this.#sink.record(cluster, 'Warning', reasons.stepWithoutEffect, why);
  }

  statusChanged(cluster: EtcdCluster, before: EtcdClusterStatus | undefined, after: EtcdClusterStatus): void {
    this.#versionAdvised(cluster, before, after);
    this.#specRefused(cluster, before, after);
    const reasonOf = (status: EtcdClusterStatus | undefined) =>
      status?.conditions?.find(({ type }) => type === 'Available');
    const [was, is] = [reasonOf(before), reasonOf(after)];
    if (was?.reason === is?.reason) return;
    const isLost = is?.reason === 'QuorumLost' || is?.reason === 'DataLost';
    const wasLost = was?.reason === 'QuorumLost' || was?.reason === 'DataLost';
    if (isLost) this.#sink.record(cluster, 'Warning', reasons.quorumLost, is.message ?? '');
    // No event when a restore begins, because there is no quorum yet, and no event while members are not reachable, because it is unknown
    // whether there is a quorum.
    else if (wasLost && is?.reason !== 'Restoring' && is?.status !== 'Unknown')
      this.#sink.record(cluster, 'Normal', reasons.quorumRestored, 'Quorum is restored.');
    if (is?.reason === 'Unreachable') this.#sink.record(cluster, 'Warning', reasons.unreachable, is.message ?? '');
    if (isAlarm(is?.reason)) this.#sink.record(cluster, 'Warning', reasons.alarmRaised, is?.message ?? '');
    else if (isAlarm(was?.reason) && is?.status === 'True')
      this.#sink.record(cluster, 'Normal', reasons.alarmCleared, 'The alarm is disarmed; clients can write again.');
    if (is?.reason === 'SpecInvalid') this.#sink.record(cluster, 'Warning', reasons.specInvalid, is.message ?? '');
  }

  #specRefused(cluster: EtcdCluster, before: EtcdClusterStatus | undefined, after: EtcdClusterStatus): void {
    const refusalOf = (status: EtcdClusterStatus | undefined) =>
      status?.conditions?.find(({ type }) => type === conditionTypes.specRefused)?.message ?? '';
    const why = refusalOf(after);
    if (why !== '' && why !== refusalOf(before)) this.#sink.record(cluster, 'Warning', reasons.specRefused, why);
  }

  #versionAdvised(cluster: EtcdCluster, before: EtcdClusterStatus | undefined, after: EtcdClusterStatus): void {
    const advice = adviceOf(after);
    if (advice !== '' && advice !== adviceOf(before))
      this.#sink.record(cluster, 'Warning', reasons.versionUnsupported, advice);
  }
}

function describeRollBack({ pod, from, version }: Extract<Step, { do: 'setImage' }>): string {
  return `Rolling back member ${pod} to ${version}: it does not run with ${from}.`;
}

function describeRecovery({ name, lost }: Extract<Step, { do: 'recoverQuorum' }>): string {
  return `EtcdRestore ${name} recovers the cluster from the remaining members: ${membersNamed(lost)} ${isOrAre(lost.length)} permanently lost. Acknowledged writes that no remaining member has received are lost.`;
}

function adviceOf(status: EtcdClusterStatus | undefined): string {
  const found = status?.conditions?.find(({ type }) => type === conditionTypes.versionAdvisory);
  return found?.reason === conditionReasons.endOfLife ? (found.message ?? '') : '';
}

function isAlarm(reason: string | undefined): boolean {
  return reason === conditionReasons.noSpace || reason === conditionReasons.corrupt;
}
