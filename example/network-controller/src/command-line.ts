// SPDX-License-Identifier: Apache-2.0

/** A flag: its purpose and its default value. */
export interface Flag {
  readonly help: string;
  readonly default: string;
  /** A boolean, which needs no value: `-flag` is `-flag=true`. @default false */
  readonly isBoolean?: boolean;
}

/** The error of a command line, and the help. */
class CommandLineError extends Error {
  constructor(message: string, flags: Flags) {
    super(`${message}\n${usage(flags)}`);
    this.name = 'CommandLineError';
  }
}

type Flags = Readonly<Record<string, Flag>>;

/** The list of flags. */
export function usage(flags: Flags): string {
  const lines = Object.entries(flags).map(([name, flag]) => `  -${name}\n        ${flag.help}`);
  return `Flags:\n${lines.join('\n')}`;
}

/** Go's notations for booleans. */
const booleans = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, 'true'] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, 'false'] as const),
]);

/**
 * Parses flags like Go programs: `-name=value`, `-name value`, `--name`, and booleans without a value. `'help'` for
 * `-h` or `-help`.
 */
export function parseFlags<const Name extends string>(
  flags: Readonly<Record<Name, Flag>>,
  args: readonly string[],
): Readonly<Record<Name, string>> | 'help' {
  const known = new Map<string, Flag>(Object.entries(flags));
  const values = new Map([...known].map(([name, flag]) => [name, flag.default]));
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name = '', given] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === 'h' || name === 'help') return 'help';
    const flag = known.get(name);
    if (!flag) throw new CommandLineError(`unknown argument: ${arg}`, flags);
    const text = given ?? (flag.isBoolean ? 'true' : rest.shift());
    if (text === undefined) throw new CommandLineError(`-${name} needs a value`, flags);
    values.set(name, flag.isBoolean ? booleanOf(flags, name, text) : text);
  }
  return Object.fromEntries(values) as Record<Name, string>;
}

function booleanOf(flags: Flags, name: string, text: string): string {
  const value = booleans.get(text);
  if (value === undefined) throw new CommandLineError(`-${name} is true or false, not ${text}`, flags);
  return value;
}

/** The value of a flag that is a whole number from `least` to `most`. */
export function numberOf<const Name extends string>(
  flags: Readonly<Record<Name, Flag>>,
  values: Readonly<Record<Name, string>>,
  name: Name,
  [least, most]: readonly [least: number, most: number],
): number {
  const value = Number(values[name]);
  if (/^\d+$/.test(values[name]) && value >= least && value <= most) return value;
  throw new CommandLineError(`-${name} is a whole number from ${least} to ${most}, not ${values[name]}`, flags);
}
