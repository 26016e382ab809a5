// SPDX-License-Identifier: Apache-2.0
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The name of a command, for its help and its errors. */
export interface Usage {
  /** The words before `--`: `npm run image`. */
  readonly command: string;
  /** Its purpose and its arguments, in lines. */
  readonly help: string;
}

/** The options and arguments of a command, in the form of `parseArgs`. */
type Accepted = Pick<ParseArgsConfig, 'options' | 'allowPositionals'>;

/**
 * Parses the words after `npm run ... --`. `--help` prints the help and exits with status 0; an invalid option gives
 * one sentence and exits with 2.
 */
export function readCommandLine<T extends Accepted>(
  usage: Usage,
  accepted: T,
  args: readonly string[] = process.argv.slice(2),
): ReturnType<typeof parseArgs<T>> {
  answerHelp(usage, args);
  try {
    return parseArgs<T>({ ...accepted, args: [...args] });
  } catch (error) {
    return complain(usage, error instanceof Error ? error.message : String(error));
  }
}

/** Prints the help and exits if that is requested. */
export function answerHelp({ help }: Usage, args: readonly string[]): void {
  if (!args.includes('--help') && !args.includes('-h')) return;
  process.stdout.write(help.endsWith('\n') ? help : `${help}\n`);
  process.exit(0);
}

/** Exits with the first sentence of the error, and a reference to the help. */
export function complain({ command }: Usage, wrong: string): never {
  const [sentence = ''] = wrong.split(/\.\s|\n/);
  process.stderr.write(`${sentence.replace(/\.$/, '')}; ${command} -- --help says what it takes\n`);
  process.exit(2);
}
