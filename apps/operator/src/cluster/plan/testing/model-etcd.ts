// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, learnersAllowed, quorum, type Reconfig, reconfigVerdict } from '@operator-parts/etcd';

/** A member in the cluster's member list. */
export interface ModelMember {
  readonly id: string;
  readonly podName: string;
  readonly addedAt: number;
  name: string;
  isLearner: boolean;
}

/** The content of a data directory. */
export interface DataDirectory {
  readonly memberId: string;
  readonly clusterId: string;
  /** Number of the last acknowledged write in the directory. */
  log: number;
  /** The oldest minor version with entries in its write-ahead log. */
  logMinor: number;
  /** The minor version of its database format. */
  storageMinor: number;
  /** Identifies wrong data: two directories with the same fault have the same data. Absent if the data is right. */
  fault?: string | undefined;
}

/** A process that runs on its own data and that its peers can reach. */
export interface LiveProcess {
  readonly memberId: string;
  readonly directory: DataDirectory;
  readonly version: EtcdVersion;
  readonly raisedMaxLearners: boolean;
  readonly upSince: number;
}

export const peerUrlOf = (podName: string): string => `http://${podName}.c.ns.svc:2380`;

/** Thrown when the model detects a state that must never occur, whatever caused it. */
export class SafetyViolation extends Error {
  constructor(what: string) {
    super(`SAFETY: ${what}`);
  }
}

/**
 * The membership part of etcd: a member list, the reachable members, a leader if there is a quorum, writes that a quorum acknowledges, and
 * etcd's own refusals. An election picks the longest log among the reachable members, as in raft, so the model detects it if a voter that
 * has lost acknowledged writes is elected.
 */
export class ModelEtcd {
  clusterId = '';
  members: ModelMember[] = [];
  readonly removed = new Set<string>();
  leaderId = '';
  /** Number of the last write that was acknowledged to a client. */
  acknowledged = 0;
  /** The minor version that all members use. */
  clusterMinor = 0;
  downgradeTo = 0;
  /** Number of times that the cluster was bootstrapped. */
  bootstraps = 0;
  #nextId = 1;

  voters(): readonly ModelMember[] {
    return this.members.filter((member) => !member.isLearner);
  }

  /** All peer URLs, as the bootstrap configuration lists them. */
  peerUrls(): readonly string[] {
    return this.members.map(({ podName }) => peerUrlOf(podName)).sort();
  }

  found(podName: string, now: number, minor: number): DataDirectory {
    const id = this.newId();
    this.bootstraps++;
    this.clusterId = `c${this.bootstraps}`;
    this.members = [{ id, podName, addedAt: now, name: podName, isLearner: false }];
    this.leaderId = '';
    this.acknowledged = 0;
    this.clusterMinor = minor;
    return { memberId: id, clusterId: this.clusterId, log: 0, logMinor: minor, storageMinor: minor };
  }

  newId(): string {
    return (0xa000 + this.#nextId++).toString(16);
  }

  /** Elects a leader if needed, accepts client writes unless there is an alarm, and updates the cluster version. */
  live(processes: ReadonlyMap<string, LiveProcess>, isAlarmed = false): void {
    const present = this.voters().flatMap((member) => processes.get(member.id) ?? []);
    if (present.length < quorum(this.voters().length) || present.length === 0) {
      this.leaderId = '';
      return;
    }
    if (!present.some((process) => process.memberId === this.leaderId)) this.#elect(present);
    this.#write(processes, isAlarmed);
    this.#moveClusterVersion(processes);
  }

  #elect(present: readonly LiveProcess[]): void {
    const [winner] = [...present].sort(
      (a, b) => b.directory.log - a.directory.log || (a.memberId < b.memberId ? -1 : 1),
    );
    if (!winner) return;
    if (winner.directory.log < this.acknowledged) {
      throw new SafetyViolation(
        `acknowledged writes are lost: ${winner.memberId} leads with ${winner.directory.log} of ${this.acknowledged}`,
      );
    }
    this.leaderId = winner.memberId;
  }

  #write(processes: ReadonlyMap<string, LiveProcess>, isAlarmed: boolean): void {
    if (!isAlarmed) this.acknowledged++;
    for (const member of this.members) {
      const process = processes.get(member.id);
      if (process) process.directory.log = this.acknowledged;
    }
  }

  #moveClusterVersion(processes: ReadonlyMap<string, LiveProcess>): void {
    const all = this.members.map((member) => processes.get(member.id));
    if (this.downgradeTo > 0) {
      this.clusterMinor = this.downgradeTo;
      for (const process of all) if (process) process.directory.storageMinor = this.downgradeTo;
      if (all.every((process) => process?.version.minor === this.downgradeTo)) this.downgradeTo = 0;
      return;
    }
    if (all.some((process) => process === undefined)) return;
    const lowest = Math.min(...all.map((process) => process?.version.minor ?? 0));
    if (lowest <= this.clusterMinor) return;
    this.clusterMinor = lowest;
    for (const process of all) if (process) process.directory.storageMinor = lowest;
  }

  /** The error with which etcd refuses a change of membership; undefined if it accepts. */
  refuses(change: Reconfig, processes: ReadonlyMap<string, LiveProcess>, now: number): string | undefined {
    const leader = processes.get(this.leaderId);
    if (!leader) return 'no leader';
    const age = (id: string) => {
      const process = processes.get(id);
      return process ? now - Math.max(process.upSince, leader.upSince) : undefined;
    };
    const members = this.members.map((member) => ({
      id: member.id,
      voter: !member.isLearner,
      started: member.name !== '',
      connectedForMs: age(member.id),
    }));
    const verdict = reconfigVerdict({ servedBy: { id: leader.memberId, version: leader.version }, members }, change);
    if (!verdict.accepted) return verdict.reason;
    return change.kind === 'addLearner' ? this.#tooManyLearners(processes) : undefined;
  }

  /** Every member applies its own limit; if the limits differ, a member fails later (operator rule 2). */
  #tooManyLearners(processes: ReadonlyMap<string, LiveProcess>): string | undefined {
    const learners = this.members.filter((member) => member.isLearner).length;
    const known = this.members.flatMap((member) => processes.get(member.id) ?? []);
    if (learners === 0 || learners + 1 <= learnersAllowed(known)) return undefined;
    throw new SafetyViolation('a second learner is added where a member has the default limit');
  }

  remove(id: string): void {
    this.members = this.members.filter((member) => member.id !== id);
    this.removed.add(id);
    if (this.leaderId === id) this.leaderId = '';
  }
}
