// SPDX-License-Identifier: Apache-2.0
import type { ReadStream, WriteStream } from 'node:tty';
import type { Clock } from '@operator-parts/ports';
import { view } from './model/view.ts';
import type { Session } from './session.ts';
import { decodeKeys } from './terminal/keys.ts';
import { Screen } from './terminal/screen.ts';

export interface LiveScreenOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly withColour: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The maximum and minimum drawing rate of the screen. */
const shortestPause = 40;
const longestPause = 1_000;

/** A session on a terminal: draws changes, handles keys, follows the terminal's size. */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  readonly #session: Session;
  readonly #screen: Screen;
  #isDirty = true;
  #wake: (() => void) | undefined;

  constructor(session: Session, options: LiveScreenOptions) {
    this.#session = session;
    this.#options = options;
    const { output, withColour } = options;
    this.#screen = new Screen({ write: (text) => output.write(text), withColour });
  }

  /** Runs until the user leaves or the signal is aborted, and always restores the terminal. */
  async run(): Promise<void> {
    const { input, output } = this.#options;
    const stopListening = this.#session.listen(() => this.#touch());
    const onKeys = (data: Buffer) => {
      for (const key of decodeKeys(data.toString('utf8'))) this.#session.send({ kind: 'key', key });
    };
    const onResize = () => {
      this.#screen.invalidate();
      this.#touch();
    };
    input.on('data', onKeys);
    output.on('resize', onResize);
    this.#take();
    try {
      await this.#drawUntilOver();
    } finally {
      input.off('data', onKeys);
      output.off('resize', onResize);
      stopListening();
      this.#giveBack();
    }
  }

  /** Lets another program use the terminal. */
  async lend(use: () => Promise<unknown>): Promise<void> {
    this.#giveBack();
    try {
      await use();
    } finally {
      if (!this.#isOver) this.#take();
      // Only the current user of the terminal gets a change of size, so we have missed some.
      process.kill(process.pid, 'SIGWINCH');
      this.#touch();
    }
  }

  get #isOver(): boolean {
    return this.#session.state.isOver || this.#options.signal.aborted;
  }

  #take(): void {
    const { input } = this.#options;
    input.setRawMode(true);
    input.resume();
    this.#screen.open();
  }

  #giveBack(): void {
    const { input } = this.#options;
    this.#screen.close();
    input.setRawMode(false);
    input.pause();
  }

  #touch(): void {
    this.#isDirty = true;
    this.#wake?.();
  }

  async #drawUntilOver(): Promise<void> {
    const { clock, signal, output } = this.#options;
    while (!this.#isOver) {
      if (this.#isDirty) {
        this.#isDirty = false;
        this.#screen.draw(view(this.#session.state, { columns: output.columns || 80, rows: output.rows || 24 }));
        await clock.sleep(shortestPause, signal).catch(() => undefined);
      } else {
        await this.#changeOr(longestPause);
        if (!this.#isDirty) this.#session.tick();
      }
    }
  }

  /** Ends with the next change, with the signal, or after a while. */
  async #changeOr(milliseconds: number): Promise<void> {
    const { clock, signal } = this.#options;
    const changed = new AbortController();
    this.#wake = () => changed.abort();
    await clock.sleep(milliseconds, AbortSignal.any([signal, changed.signal])).catch(() => undefined);
    this.#wake = undefined;
  }
}
