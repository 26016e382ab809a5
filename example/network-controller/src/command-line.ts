// SPDX-License-Identifier: Apache-2.0

/** A flag: what it is for, and its value if it is not given. */
export interface Flag {
  readonly help: string;
  readonly default: string;
  /** Takes `true` or `false`, and needs no value: `-flag` is `-flag=true`. @default false */
  readonly isBoolean?: boolean;
}

/** What is wrong with a command line, and the help. */
class CommandLineError extends Error {
  constructor(message: string, flags: Readonly<Record<string, Flag>>) {
    const lines = Object.entries(flags).map(([name, flag]) => `  -${name}\n        ${flag.help}`);
    super(`${message}\nFlags:\n${lines.join('\n')}`);
    this.name = 'CommandLineError';
  }
}

/** Reads flags as Go programs do: `-name=value`, `-name value`, `--name`, and booleans without a value. */
export function parseFlags<const Name extends string>(
  flags: Readonly<Record<Name, Flag>>,
  args: readonly string[],
): Readonly<Record<Name, string>> {
  const known = new Map<string, Flag>(Object.entries(flags));
  const values = new Map([...known].map(([name, flag]) => [name, flag.default]));
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name = '', given] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const flag = known.get(name);
    if (!flag) throw new CommandLineError(`unknown argument: ${arg}`, flags);
    const value = given ?? (flag.isBoolean ? 'true' : rest.shift());
    if (value === undefined) throw new CommandLineError(`-${name} needs a value`, flags);
    if (flag.isBoolean && value !== 'true' && value !== 'false') {
      throw new CommandLineError(`-${name} is true or false, not ${value}`, flags);
    }
    values.set(name, value);
  }
  return Object.fromEntries(values) as Record<Name, string>;
}
