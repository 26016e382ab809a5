// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import type { Action } from './action.ts';
import { keyCommand } from './key-command.ts';
import {
  membersOf,
  type NodeState,
  type Note,
  type Operators,
  type State,
  selectedMember,
  type Tone,
} from './state.ts';

/** An event. */
export type Message =
  | { readonly kind: 'time'; readonly now: number }
  /** Only time has passed. */
  | { readonly kind: 'tick' }
  | { readonly kind: 'clusters'; readonly clusters: readonly EtcdCluster[] }
  | { readonly kind: 'placement'; readonly placement: ReadonlyMap<string, string> }
  | { readonly kind: 'nodes'; readonly nodes: readonly NodeState[] }
  | { readonly kind: 'operators'; readonly operators: Operators }
  | { readonly kind: 'note'; readonly text: string; readonly tone: Tone; readonly about?: string | undefined }
  | { readonly kind: 'begun' | 'ended'; readonly what: string }
  | { readonly kind: 'backedUp'; readonly cluster: string; readonly path: string }
  | { readonly kind: 'hints'; readonly hints: readonly string[] }
  | { readonly kind: 'key'; readonly key: string };

/** The next state, and the action to carry out, if any. */
export interface Update {
  readonly state: State;
  readonly effect?: Action | { readonly do: 'shell' };
}

const mostNotes = 200;
/** How many lines a key scrolls. */
const page = 5;

/** The complete behaviour of the screen. Pure. */
export function update(state: State, message: Message): Update {
  switch (message.kind) {
    case 'time':
      return { state: { ...state, now: message.now } };
    case 'tick':
      return { state };
    case 'clusters':
      return { state: showing({ ...state, clusters: message.clusters }) };
    case 'placement':
      return { state: { ...state, placement: message.placement } };
    case 'nodes':
      return { state: { ...state, nodes: message.nodes } };
    case 'operators':
      return { state: { ...state, operators: message.operators } };
    case 'note':
      return { state: withNote(state, message) };
    case 'begun':
      return { state: { ...state, busy: [...state.busy, message.what] } };
    case 'ended':
      return { state: { ...state, busy: state.busy.toSpliced(state.busy.indexOf(message.what), 1) } };
    case 'backedUp':
      return { state: { ...state, backups: new Map([...state.backups, [message.cluster, message.path]]) } };
    case 'hints':
      return { state: { ...state, hints: message.hints } };
    case 'key':
      return pressed(state, message.key);
  }
}

/** The selected cluster, or else the first. */
function showing(state: State): State {
  const { clusters, chosen } = state;
  return { ...state, cluster: clusters.find(({ metadata }) => metadata?.name === chosen) ?? clusters[0] };
}

/** A new line scrolls the log to its end. */
function withNote(state: State, { text, tone, about }: Omit<Note, 'at'>): State {
  const note: Note = { at: state.now, text, tone, about };
  const scrolled = state.isHelpShown ? state.scrolled : 0;
  return { ...state, notes: [...state.notes, note].slice(-mostNotes), scrolled };
}

function pressed(state: State, key: string): Update {
  switch (key) {
    case 'q':
    case 'ctrl-c':
      return { state: { ...state, isOver: true } };
    case '?':
      return { state: { ...state, isHelpShown: !state.isHelpShown, scrolled: 0 } };
    case 'up':
    case 'down':
      return { state: moved(state, key === 'up' ? -1 : 1) };
    case 'page-up':
    case 'page-down':
      return { state: { ...state, scrolled: Math.max(0, state.scrolled + (isBack(state, key) ? page : -page)) } };
    case 'tab':
      return { state: nextCluster(state) };
    default:
      return command(state, key);
  }
}

/** The log is read from its end, the help from its beginning. */
function isBack({ isHelpShown }: State, key: 'page-up' | 'page-down'): boolean {
  return (key === 'page-up') !== isHelpShown;
}

function moved(state: State, by: number): State {
  const members = membersOf(state);
  const index = members.findIndex(({ name }) => name === selectedMember(state)?.name);
  const next = members[Math.max(0, Math.min(members.length - 1, index + by))];
  return { ...state, selected: next?.name };
}

function nextCluster(state: State): State {
  const { clusters, cluster } = state;
  const place = cluster ? clusters.indexOf(cluster) : -1;
  const next = clusters[(place + 1) % Math.max(1, clusters.length)];
  if (next === undefined || next === cluster)
    return withNote(state, { text: 'there is no other cluster to switch to', tone: 'quiet' });
  return showing({ ...state, chosen: next.metadata?.name, selected: undefined, scrolled: 0 });
}

/** One action at a time: a key during another action is refused with a message. */
function command(state: State, key: string): Update {
  const answer = keyCommand(state, key);
  if (answer.kind === 'do') return { state, effect: answer.effect };
  return { state: withNote(state, { text: answer.text, tone: 'quiet' }) };
}
