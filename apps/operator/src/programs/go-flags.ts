// SPDX-License-Identifier: Apache-2.0

/** The type of a flag's value. A boolean flag needs no value: `-paused` means `-paused=true`. */
export type FlagKind = 'string' | 'boolean' | 'integer';

export interface FlagDefinition {
  readonly kind: FlagKind;
  readonly default: string | boolean | number;
  readonly help: string;
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>;

type ValueOf<F extends FlagDefinition> = F['kind'] extends 'boolean'
  ? boolean
  : F['kind'] extends 'integer'
    ? number
    : string;

export type FlagValues<D extends FlagDefinitions> = { readonly [K in keyof D]: ValueOf<D[K]> };

/** An error in the command line. The message is for the user who typed it. */
export class FlagError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FlagError';
  }
}

/**
 * Parses a command line as Go's flag package does, because users of CoreOS know that syntax: one or two dashes, `-name=value` or `-name
 * value`, booleans without a value, `--` ends the flags.
 */
export function parseGoFlags<const D extends FlagDefinitions>(definitions: D, args: readonly string[]): FlagValues<D> {
  const values: Record<string, string | boolean | number> = {};
  for (const [name, definition] of Object.entries(definitions)) values[name] = definition.default;
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined && arg !== '--'; arg = rest.shift()) {
    const { name, given } = split(arg);
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!definition) throw new FlagError(`flag provided but not defined: -${name}`);
    const text = given ?? (definition.kind === 'boolean' ? 'true' : rest.shift());
    if (text === undefined) throw new FlagError(`flag needs an argument: -${name}`);
    values[name] = convert(name, definition.kind, text);
  }
  return values as FlagValues<D>;
}

function split(arg: string): { readonly name: string; readonly given: string | undefined } {
  const match = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg);
  if (!match) throw new FlagError(`unexpected argument "${arg}": this program takes flags only`);
  return { name: match[1] ?? '', given: match[2] };
}

const truths: Readonly<Record<string, boolean>> = { 1: true, t: true, true: true, 0: false, f: false, false: false };

function convert(name: string, kind: FlagKind, text: string): string | boolean | number {
  switch (kind) {
    case 'string':
      return text;
    case 'boolean': {
      const value = truths[text.toLowerCase()];
      if (value === undefined) throw new FlagError(`invalid boolean value "${text}" for -${name}: use true or false`);
      return value;
    }
    case 'integer': {
      const value = Number(text);
      if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
        throw new FlagError(`invalid value "${text}" for flag -${name}: not a whole number`);
      return value;
    }
  }
}

/** The help text: every flag with its default, in the format of Go. */
export function describeFlags(program: string, definitions: FlagDefinitions): string {
  const lines = Object.entries(definitions).map(
    ([name, { default: value, help }]) => `  -${name}\n    \t${help} (default ${JSON.stringify(value)})`,
  );
  return `Usage of ${program}:\n${lines.join('\n')}\n`;
}
