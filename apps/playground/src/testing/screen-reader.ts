// SPDX-License-Identifier: Apache-2.0

/** A character on the screen and its style, the digits of the preceding SGR sequence. */
export interface Cell {
  readonly text: string;
  readonly rendition: string;
}

const escapeKey = '\u001b';
const blank: Cell = { text: ' ', rendition: '' };

/** What a terminal would show for a program's output, as far as the playground needs it. */
export class ScreenReader {
  readonly #columns: number;
  #rows: Cell[][];
  #row = 0;
  #column = 0;
  #rendition = '';
  #rest = '';

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = Array.from({ length: rows }, () => this.#blankRow());
  }

  get cells(): readonly (readonly Cell[])[] {
    return this.#rows;
  }

  /** The screen as text, without trailing blanks. */
  get text(): string {
    return this.#rows
      .map((row) =>
        row
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      )
      .join('\n');
  }

  write(output: string): void {
    this.#rest += output;
    while (this.#rest !== '') {
      if (this.#rest[0] === escapeKey) {
        const found = /^\[([?0-9;]*)([A-Za-z])/.exec(this.#rest.slice(1));
        // An incomplete sequence waits for its end.
        if (!found && this.#rest.length < 12) return;
        this.#rest = this.#rest.slice(1 + (found?.[0].length ?? 0));
        if (found) this.#control(found[1] ?? '', found[2] ?? '');
      } else {
        const [character = ''] = this.#rest;
        this.#rest = this.#rest.slice(character.length);
        this.#put(character);
      }
    }
  }

  #control(parameters: string, command: string): void {
    switch (command) {
      case 'H': {
        const [row = 1, column = 1] = parameters.split(';').map(Number);
        this.#row = row - 1;
        this.#column = column - 1;
        break;
      }
      case 'K':
        this.#rows[this.#row]?.fill(blank, this.#column);
        break;
      case 'J':
        for (let row = parameters === '2' ? 0 : this.#row; row < this.#rows.length; row++)
          this.#rows[row] = this.#blankRow();
        break;
      case 'm':
        this.#rendition = parameters === '0' ? '' : parameters;
        break;
      default:
    }
  }

  #put(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#row += 1;
    else if (character >= ' ') {
      const row = this.#rows[this.#row];
      if (row && this.#column < this.#columns) row[this.#column] = { text: character, rendition: this.#rendition };
      this.#column += 1;
    }
  }

  #blankRow(): Cell[] {
    return Array.from({ length: this.#columns }, () => blank);
  }
}
