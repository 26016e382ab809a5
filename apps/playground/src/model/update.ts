// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import type { Action } from './action.ts';
import { membersOf, type NodeState, type Note, type State, selectedMember, type Tone } from './state.ts';

/** Something that happened. */
export type Message =
  | { readonly kind: 'time'; readonly now: number }
  | { readonly kind: 'cluster'; readonly cluster: EtcdCluster | undefined }
  | { readonly kind: 'placement'; readonly placement: ReadonlyMap<string, string> }
  | { readonly kind: 'nodes'; readonly nodes: readonly NodeState[] }
  | { readonly kind: 'note'; readonly text: string; readonly tone: Tone }
  | { readonly kind: 'busy'; readonly what: string | undefined }
  | { readonly kind: 'hints'; readonly hints: readonly string[] }
  | { readonly kind: 'key'; readonly key: string };

/** What follows: the next state, and what is to be done in the world, if anything. */
export interface Update {
  readonly state: State;
  readonly effect?: Action | { readonly do: 'shell' };
}

const mostNotes = 200;

/** The whole behaviour of the screen. Pure. */
export function update(state: State, message: Message): Update {
  switch (message.kind) {
    case 'time':
      return { state: { ...state, now: message.now } };
    case 'cluster':
      return { state: { ...state, cluster: message.cluster } };
    case 'placement':
      return { state: { ...state, placement: message.placement } };
    case 'nodes':
      return { state: { ...state, nodes: message.nodes } };
    case 'note':
      return { state: withNote(state, message.text, message.tone) };
    case 'busy':
      return { state: { ...state, busy: message.what } };
    case 'hints':
      return { state: { ...state, hints: message.hints } };
    case 'key':
      return pressed(state, message.key);
  }
}

function withNote(state: State, text: string, tone: Tone): State {
  const note: Note = { at: state.now, text, tone };
  return { ...state, notes: [...state.notes, note].slice(-mostNotes) };
}

function pressed(state: State, key: string): Update {
  switch (key) {
    case 'q':
    case 'ctrl-c':
      return { state: { ...state, isOver: true } };
    case '?':
      return { state: { ...state, isHelpShown: !state.isHelpShown } };
    case 'up':
    case 'down':
      return { state: moved(state, key === 'up' ? -1 : 1) };
    case '!':
      return { state, effect: { do: 'shell' } };
    default:
      return command(state, key);
  }
}

function moved(state: State, by: number): State {
  const members = membersOf(state);
  const index = members.findIndex(({ name }) => name === selectedMember(state)?.name);
  const next = members[Math.max(0, Math.min(members.length - 1, index + by))];
  return { ...state, selected: next?.name };
}

/** One thing at a time: a key that is pressed while another is at work is told so. */
function command(state: State, key: string): Update {
  const effect = effectOf(state, key);
  if (effect === undefined) return { state };
  if (state.busy !== undefined) return { state: withNote(state, `still busy: ${state.busy}`, 'quiet') };
  return { state, effect };
}

function effectOf(state: State, key: string): Action | undefined {
  const member = selectedMember(state)?.name;
  const size = state.cluster?.spec.size ?? 0;
  const node = member === undefined ? undefined : state.placement.get(member);
  switch (key) {
    case 'k':
      return member === undefined ? undefined : { do: 'kill', member };
    case 'b':
      return member === undefined ? undefined : { do: 'blank', member };
    case 'c':
      return node === undefined ? undefined : { do: 'cut', node };
    case 'h':
      return { do: 'heal', node: undefined };
    case 'r':
      return { do: 'reboot' };
    case '+':
      return size > 5 ? undefined : { do: 'resize', size: size + 2 };
    case '-':
      return size < 3 ? undefined : { do: 'resize', size: size - 2 };
    case 'u':
      return { do: 'upgrade', version: undefined };
    case 's':
      return { do: 'backup' };
    case 'l':
      return { do: 'restore' };
    default:
      return undefined;
  }
}
