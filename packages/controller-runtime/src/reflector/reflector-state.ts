// SPDX-License-Identifier: Apache-2.0
import type { Problem } from './problem.ts';

/** How a complete view is read: as a stream of initial events, page by page, or in one answer. */
export type ListMode = 'stream' | 'pages' | 'full';

export interface Listing {
  readonly phase: 'list';
  readonly mode: ListMode;
  /**
   * How many more streaming lists may be interrupted before paged ones are used; 0 if the server does not support
   * streaming.
   */
  readonly streams: number;
}

export interface Watching {
  readonly phase: 'watch';
  /** Only changes after this version are sent. Increases as events arrive. */
  readonly from: string;
  readonly streams: number;
}

export interface Pausing {
  readonly phase: 'pause';
  readonly problem: Problem;
  readonly then: Listing | Watching;
}

/**
 * The states of a reflector.
 *
 * | state | outcome | next |
 * | --- | --- | --- |
 * | list | listed | watch from the list's version |
 * | list stream | unsupported | list pages, from now on |
 * | list stream | truncated, corrupt or idle | pause, then list stream, or pages after the third time |
 * | list pages | expired in the middle | list full |
 * | list | any other problem | pause, then list again |
 * | watch | ended, corrupt or idle, after a while | watch from the last version |
 * | watch | ended, corrupt or idle, at once | pause, then watch from the last version |
 * | watch | expired | list; after a pause if it happened at once |
 * | watch | missing or older | pause, then list |
 * | watch | any other problem | pause, then watch from the last version |
 * | watch | to be opened again after a pause | list |
 * | pause | rested | the state after the pause |
 */
export type ReflectorState = Listing | Watching | Pausing;

/** The outcome of a state. `brief`: the state ended so soon that an immediate retry could overload the server. */
export type Outcome =
  | { readonly type: 'listed'; readonly resourceVersion: string }
  | { readonly type: 'ended'; readonly resourceVersion: string; readonly brief: boolean; readonly problem: Problem }
  | { readonly type: 'failed'; readonly resourceVersion: string; readonly brief: boolean; readonly problem: Problem }
  | { readonly type: 'rested' };

/** How many streaming lists in a row may be interrupted. */
const streamChances = 3;

/** The initial state. @param streaming whether to try a streaming list first */
export function initialState(streaming: boolean): Listing {
  return listing(streaming ? streamChances : 0);
}

/** The state that follows. Pure; an outcome that is impossible in a state is a programming error. */
export function transition(state: ReflectorState, outcome: Outcome): ReflectorState {
  switch (state.phase) {
    case 'list':
      return afterList(state, outcome);
    case 'watch':
      return afterWatch(state, outcome);
    case 'pause':
      if (outcome.type !== 'rested') throw impossible(state, outcome);
      return state.then;
  }
}

function afterList(state: Listing, outcome: Outcome): ReflectorState {
  if (outcome.type === 'listed') {
    // A stream that worked resets the number of attempts.
    const streams = state.mode === 'stream' ? streamChances : state.streams;
    return { phase: 'watch', from: outcome.resourceVersion, streams };
  }
  if (outcome.type !== 'failed') throw impossible(state, outcome);
  const { problem } = outcome;
  switch (problem.kind) {
    case 'unsupported':
      return listing(0);
    case 'truncated':
    case 'corrupt':
    case 'idle':
      return pause(problem, listing(state.mode === 'stream' ? state.streams - 1 : state.streams));
    case 'expired':
      return state.mode === 'pages' ? { ...state, mode: 'full' } : pause(problem, listing(state.streams));
    default:
      return pause(problem, listing(state.streams));
  }
}

function afterWatch(state: Watching, outcome: Outcome): ReflectorState {
  if (outcome.type !== 'ended' && outcome.type !== 'failed') throw impossible(state, outcome);
  const { problem, brief } = outcome;
  const again: Watching = { ...state, from: outcome.resourceVersion };
  if (outcome.type === 'ended') return brief ? pause(problem, again) : again;
  switch (problem.kind) {
    case 'expired':
      return brief ? pause(problem, listing(state.streams)) : listing(state.streams);
    case 'missing':
    case 'older':
      return pause(problem, listing(state.streams));
    case 'corrupt':
    case 'idle':
      return brief ? pause(problem, again) : again;
    default:
      return pause(problem, again);
  }
}

/** Reads a complete view, as a stream while there are attempts left. */
export function listing(streams: number): Listing {
  return { phase: 'list', mode: streams > 0 ? 'stream' : 'pages', streams };
}

function pause(problem: Problem, then: Listing | Watching): Pausing {
  return { phase: 'pause', problem, then };
}

function impossible(state: ReflectorState, outcome: Outcome): Error {
  return new Error(`a reflector in state ${state.phase} cannot have the outcome ${outcome.type}`);
}
