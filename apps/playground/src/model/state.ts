// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';

export type Tone = 'plain' | 'good' | 'bad' | 'quiet';

/** A log line: what happened, and when, in seconds since the start. */
export interface Note {
  readonly at: number;
  readonly text: string;
  readonly tone: Tone;
  /** The affected cluster; undefined for all. */
  readonly about?: string | undefined;
}

export interface NodeState {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCut: boolean;
}

/** The active operator: the holder of the lease. */
export interface Operators {
  /** Empty if the lease has no holder. */
  readonly holder: string;
  /** Pods that run an etcd-operator. */
  readonly pods: readonly string[];
}

/** Everything on the screen. Immutable. */
export interface State {
  /** Seconds since the start. */
  readonly now: number;
  /** All clusters, in the order of the Tab key. */
  readonly clusters: readonly EtcdCluster[];
  /** Name of the cluster selected by Tab; undefined for the first. */
  readonly chosen: string | undefined;
  /** The cluster on the screen. */
  readonly cluster: EtcdCluster | undefined;
  /** Pod name -> node name. */
  readonly placement: ReadonlyMap<string, string>;
  readonly nodes: readonly NodeState[];
  /** Undefined until it is known. */
  readonly operators: Operators | undefined;
  /** Newest last; limited. */
  readonly notes: readonly Note[];
  /** Name of the member for key actions; undefined for the first. */
  readonly selected: string | undefined;
  /** The user's actions in progress, oldest first. */
  readonly busy: readonly string[];
  /** The last backup of each cluster, by the cluster's name. */
  readonly backups: ReadonlyMap<string, string>;
  /** Lines to copy into another terminal. */
  readonly hints: readonly string[];
  readonly isHelpShown: boolean;
  /** How far the user has scrolled the log or the help, in lines. */
  readonly scrolled: number;
  /** Set when the user wants to leave. */
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

/** The message of the condition Available; undefined if it is absent. */
export function availability(
  cluster: Cluster,
): { readonly status: string; readonly reason: string; readonly message: string } | undefined {
  const found = cluster?.status?.conditions?.find(({ type }) => type === 'Available');
  return found && { status: found.status, reason: found.reason ?? '', message: found.message ?? '' };
}

/** A restore has isolated the members, and none of the restored ones exists yet: the listed ones are old. */
export function isRestoring(cluster: Cluster): boolean {
  return cluster?.status?.restore !== undefined && (cluster.status.readySize ?? 0) === 0;
}

/** No data is left that could return. */
export function isDataLost(cluster: Cluster): boolean {
  return availability(cluster)?.reason === 'DataLost';
}

/** Too few members are left for a quorum. */
export function isQuorumLost(cluster: Cluster): boolean {
  return availability(cluster)?.reason === 'QuorumLost';
}

/** The members in the operator's status. */
export function membersOf({ cluster }: State): readonly Member[] {
  return cluster?.status?.memberDetails ?? [];
}

/** The member for key actions. */
export function selectedMember(state: State): Member | undefined {
  const members = membersOf(state);
  return members.find(({ name }) => name === state.selected) ?? members[0];
}

/** The holder of the lease if the operator runs in the playground's own process. */
export const builtInOperator = 'playground';

/** The active operator in words; empty until it is known. */
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
