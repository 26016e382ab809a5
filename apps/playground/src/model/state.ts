// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';

export type Tone = 'plain' | 'good' | 'bad' | 'quiet';

/** A line of the diary: what happened, when, in seconds since the start. */
export interface Note {
  readonly at: number;
  readonly text: string;
  readonly tone: Tone;
  /** The cluster that it happened to; undefined if it concerns everybody. */
  readonly about?: string | undefined;
}

export interface NodeState {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCut: boolean;
}

/** Who may manage the clusters: one at a time, the one that holds the lease. */
export interface Operators {
  /** Empty if nobody holds it. */
  readonly holder: string;
  /** Pods that run an etcd-operator. */
  readonly pods: readonly string[];
}

/** Everything that is on the screen. Immutable. */
export interface State {
  /** Seconds since the start. */
  readonly now: number;
  /** All there are, in the order in which Tab shows them. */
  readonly clusters: readonly EtcdCluster[];
  /** Name of the one that Tab has chosen; undefined for the first. */
  readonly chosen: string | undefined;
  /** The one on the screen. */
  readonly cluster: EtcdCluster | undefined;
  /** Pod name -> node name. */
  readonly placement: ReadonlyMap<string, string>;
  readonly nodes: readonly NodeState[];
  /** Undefined until it is known. */
  readonly operators: Operators | undefined;
  /** Newest last; bounded. */
  readonly notes: readonly Note[];
  /** Name of the member that keys act on; undefined for the first. */
  readonly selected: string | undefined;
  /** What is being done at a person's bidding, oldest first. */
  readonly busy: readonly string[];
  /** Where the last backup lies, by the name of its cluster. */
  readonly backups: ReadonlyMap<string, string>;
  /** Lines to copy into another terminal. */
  readonly hints: readonly string[];
  readonly isHelpShown: boolean;
  /** How many lines of the diary, or of the help, the person has gone back or on. */
  readonly scrolled: number;
  /** Set when the person wants to leave. */
  readonly isOver: boolean;
}

export const emptyState: State = {
  now: 0,
  clusters: [],
  chosen: undefined,
  cluster: undefined,
  placement: new Map(),
  nodes: [],
  operators: undefined,
  notes: [],
  selected: undefined,
  busy: [],
  backups: new Map(),
  hints: [],
  isHelpShown: false,
  scrolled: 0,
  isOver: false,
};

export type Member = NonNullable<NonNullable<EtcdCluster['status']>['memberDetails']>[number];

type Cluster = EtcdCluster | undefined;

/** What the condition Available says; undefined until it says anything. */
export function availability(
  cluster: Cluster,
): { readonly status: string; readonly reason: string; readonly message: string } | undefined {
  const found = cluster?.status?.conditions?.find(({ type }) => type === 'Available');
  return found && { status: found.status, reason: found.reason ?? '', message: found.message ?? '' };
}

/** A restore has taken the members from behind the Service, and none of the restored ones is there yet: those listed are old. */
export function isRestoring(cluster: Cluster): boolean {
  return cluster?.status?.restore !== undefined && (cluster.status.readySize ?? 0) === 0;
}

/** Nothing of it is left that could come back by itself. */
export function isDataLost(cluster: Cluster): boolean {
  return availability(cluster)?.reason === 'DataLost';
}

/** Too few members are left to agree on anything. */
export function isQuorumLost(cluster: Cluster): boolean {
  return availability(cluster)?.reason === 'QuorumLost';
}

/** The members as the operator reports them. */
export function membersOf({ cluster }: State): readonly Member[] {
  return cluster?.status?.memberDetails ?? [];
}

/** The member that keys act on. */
export function selectedMember(state: State): Member | undefined {
  const members = membersOf(state);
  return members.find(({ name }) => name === state.selected) ?? members[0];
}

/** Who holds the lease when the operator in the playground's own process does. */
export const builtInOperator = 'playground';

/** Which operator is at work, in words; empty until it is known. */
export function operatorAtWork({ operators }: State): string {
  if (!operators) return '';
  const { holder, pods } = operators;
  const waiting = pods.filter((pod) => pod !== holder).map((pod) => `pod/${pod}`);
  const rest = waiting.length > 0 ? `; waiting for the lease: ${waiting.join(', ')}` : '';
  if (holder === builtInOperator) return `the built-in operator is active${rest}`;
  if (pods.includes(holder)) return `pod/${holder} is active${rest}`;
  return waiting.length > 0
    ? `starting: ${waiting.join(', ')}`
    : 'no operator is running: kubectl create -f example/deployment.yaml';
}

export function isAvailable(cluster: Cluster): boolean {
  return availability(cluster)?.status === 'True';
}
