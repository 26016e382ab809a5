// SPDX-License-Identifier: Apache-2.0

/** Text that is not valid JSON, with the message of Go's decoder. */
class JsonSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonSyntaxError';
  }
}

/** Facts about a JSON text that `JSON.parse` does not report: duplicate keys, by their paths. */
export interface JsonScan {
  readonly duplicates: readonly string[];
}

/** Scans a JSON text. Throws a `JsonSyntaxError` where Go's decoder would stop. */
export function scanJson(text: string): JsonScan {
  return new Scanner(text).run();
}

const escapes = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class Scanner {
  readonly #text: string;
  readonly #duplicates: string[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): JsonScan {
    this.#value('', 'looking for beginning of value');
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
    return { duplicates: this.#duplicates };
  }

  #value(path: string, context: string): void {
    this.#space();
    const char = this.#text[this.#at];
    if (char === '{') this.#object(path);
    else if (char === '[') this.#array(path);
    else if (char === '"') this.#string();
    else if (char === 't') this.#literal('true');
    else if (char === 'f') this.#literal('false');
    else if (char === 'n') this.#literal('null');
    else if (char !== undefined && /[-0-9]/.test(char)) this.#number();
    else throw this.#unexpected(context);
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#skip('}')) return;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string');
      const key = this.#string();
      const field = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) this.#duplicates.push(field);
      seen.add(key);
      this.#space();
      if (!this.#skip(':')) throw this.#unexpected('after object key');
      this.#value(field, 'looking for beginning of value');
      this.#space();
      if (this.#skip('}')) return;
      if (!this.#skip(',')) throw this.#unexpected('after object key:value pair');
    }
  }

  #array(path: string): void {
    this.#at++;
    this.#space();
    if (this.#skip(']')) return;
    for (let index = 0; ; index++) {
      this.#value(`${path}[${index}]`, 'looking for beginning of value');
      this.#space();
      if (this.#skip(']')) return;
      if (!this.#skip(',')) throw this.#unexpected('after array element');
    }
  }

  #string(): string {
    const from = this.#at++;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char === undefined || char < ' ') throw this.#unexpected('in string literal');
      if (char === '\\') {
        const sequence = escapes.exec(this.#text.slice(this.#at, this.#at + 6));
        if (!sequence) {
          this.#at++;
          throw this.#unexpected('in string escape code');
        }
        this.#at += sequence[0].length;
      } else {
        this.#at++;
      }
    }
    this.#at++;
    return JSON.parse(this.#text.slice(from, this.#at)) as string;
  }

  #number(): void {
    numberPattern.lastIndex = this.#at;
    const match = numberPattern.exec(this.#text);
    if (!match) {
      this.#at++;
      throw this.#unexpected('in numeric literal');
    }
    this.#at += match[0].length;
  }

  #literal(word: string): void {
    for (const [index, expected] of [...word].entries()) {
      if (this.#text[this.#at] !== expected) {
        throw this.#unexpected(
          index === 0 ? 'looking for beginning of value' : `in literal ${word} (expecting '${expected}')`,
        );
      }
      this.#at++;
    }
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #unexpected(context: string): JsonSyntaxError {
    const char = this.#text[this.#at];
    if (char === undefined) return new JsonSyntaxError('unexpected end of JSON input');
    return new JsonSyntaxError(`invalid character ${quoteChar(char)} ${context}`);
  }
}

function quoteChar(char: string): string {
  if (char === "'") return `'\\''`;
  if (char === '"') return `'"'`;
  return `'${JSON.stringify(char).slice(1, -1)}'`;
}

/** The duplicate keys of a valid JSON text. Cheap if there are none, which is nearly always the case. */
export function duplicateKeys(text: string, parsed: unknown): readonly string[] {
  // Each key in the text ends with `":`. If the text has as many of them as the value has keys, no key is given twice.
  let colons = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) if (!isEscaped(text, at)) colons++;
  return colons === countKeys(parsed) ? [] : scanJson(text).duplicates;
}

/** True for an escaped quote, such as those in the keys of managedFields. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text[first - 1] === '\\') first--;
  return (quote - first) % 2 === 1;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key]);
  return count;
}
