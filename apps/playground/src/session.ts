// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import type { Action } from './model/action.ts';
import { emptyState, type State } from './model/state.ts';
import { type Message, update } from './model/update.ts';

export interface SessionOptions {
  readonly clock: Clock;
  /** Clock time at the start. */
  readonly started: number;
  readonly perform: (action: Action) => Promise<string>;
  readonly openShell: () => Promise<void>;
}

export type Listener = (state: State, message: Message) => void;

/** Holds the state, passes messages to it, and carries out the resulting actions, one at a time. */
export class Session {
  readonly #options: SessionOptions;
  readonly #listeners = new Set<Listener>();
  #state: State = emptyState;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get state(): State {
    return this.#state;
  }

  /** Called after each message. Returns a function that removes the listener. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly send = (message: Message): void => {
    const { clock, started } = this.#options;
    const timed = update(this.#state, { kind: 'time', now: (clock.monotonic() - started) / 1000 }).state;
    const { state, effect } = update(timed, message);
    this.#state = state;
    for (const listener of this.#listeners) listener(state, message);
    if (effect) void this.#carryOut(effect);
  };

  note(text: string, tone: 'plain' | 'good' | 'bad' | 'quiet' = 'plain'): void {
    this.send({ kind: 'note', text, tone });
  }

  /** Updates the time on the screen. */
  tick(): void {
    this.send({ kind: 'tick' });
  }

  /** Carries out an action and logs it. Never rejects; resolves with the log line. */
  async act(action: Action): Promise<{ readonly ok: boolean; readonly words: string }> {
    this.send({ kind: 'begun', what: action.do });
    try {
      const words = await this.#options.perform(action);
      this.note(`you: ${words}`, 'good');
      return { ok: true, words };
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.note(`${action.do} failed: ${words}`, 'bad');
      return { ok: false, words };
    } finally {
      this.send({ kind: 'ended', what: action.do });
    }
  }

  async #carryOut(effect: Action | { readonly do: 'shell' }): Promise<void> {
    if (effect.do !== 'shell') await this.act(effect);
    else
      await this.#options
        .openShell()
        .catch((error: unknown) => this.note(error instanceof Error ? error.message : String(error), 'bad'));
  }
}
