// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';

export type Tone = 'plain' | 'good' | 'bad' | 'quiet';

/** A line of the diary: what happened, when, in seconds since the start. */
export interface Note {
  readonly at: number;
  readonly text: string;
  readonly tone: Tone;
}

export interface NodeState {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCut: boolean;
}

/** Everything that is on the screen. Immutable. */
export interface State {
  /** Seconds since the start. */
  readonly now: number;
  readonly cluster: EtcdCluster | undefined;
  /** Pod name -> node name. */
  readonly placement: ReadonlyMap<string, string>;
  readonly nodes: readonly NodeState[];
  /** Newest last; bounded. */
  readonly notes: readonly Note[];
  /** Name of the member that keys act on; undefined for the first. */
  readonly selected: string | undefined;
  /** What is being done at a key's bidding, if anything is. */
  readonly busy: string | undefined;
  /** Lines to copy into another terminal. */
  readonly hints: readonly string[];
  readonly isHelpShown: boolean;
  /** Set when the person wants to leave. */
  readonly isOver: boolean;
}

export const emptyState: State = {
  now: 0,
  cluster: undefined,
  placement: new Map(),
  nodes: [],
  notes: [],
  selected: undefined,
  busy: undefined,
  hints: [],
  isHelpShown: false,
  isOver: false,
};

export type Member = NonNullable<NonNullable<EtcdCluster['status']>['memberDetails']>[number];

/** The members as the operator reports them. */
export function membersOf({ cluster }: State): readonly Member[] {
  return cluster?.status?.memberDetails ?? [];
}

/** The member that keys act on. */
export function selectedMember(state: State): Member | undefined {
  const members = membersOf(state);
  return members.find(({ name }) => name === state.selected) ?? members[0];
}

export function isAvailable(cluster: EtcdCluster | undefined): boolean {
  const found = cluster?.status?.conditions?.find(({ type }) => type === 'Available');
  return found?.status === 'True';
}
