// SPDX-License-Identifier: Apache-2.0
import { ansiText, type Line } from './line.ts';

export interface ScreenOptions {
  readonly write: (text: string) => void;
  readonly withColour: boolean;
}

const csi = '\u001b[';

/**
 * Draws lines on the alternate screen of a terminal and rewrites only changed ones. `close` restores the terminal;
 * calling it twice does nothing.
 */
export class Screen {
  readonly #options: ScreenOptions;
  #shown: readonly string[] = [];
  #isOpen = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#shown = [];
    this.#options.write(`${csi}?1049h${csi}?25l${csi}2J`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.write(`${csi}?25h${csi}?1049l`);
  }

  /** Redraws everything the next time: after a resize, or after another program has written. */
  invalidate(): void {
    this.#shown = [];
    if (this.#isOpen) this.#options.write(`${csi}2J`);
  }

  draw(lines: readonly Line[]): void {
    if (!this.#isOpen) return;
    const next = lines.map((line) => ansiText(line, this.#options.withColour));
    const changes = next.flatMap((text, row) =>
      this.#shown[row] === text ? [] : [`${csi}${row + 1};1H${text}${csi}K`],
    );
    if (this.#shown.length > next.length) changes.push(`${csi}${next.length + 1};1H${csi}J`);
    this.#shown = next;
    if (changes.length > 0) this.#options.write(changes.join(''));
  }
}
