// SPDX-License-Identifier: Apache-2.0
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** How a command is called, for its help and its complaints. */
export interface Usage {
  /** What a person types before `--`: `npm run image`. */
  readonly command: string;
  /** What it does and what it takes, in lines. */
  readonly help: string;
}

/** What may stand behind a command, as `parseArgs` takes it. */
type Accepted = Pick<ParseArgsConfig, 'options' | 'allowPositionals'>;

/**
 * Reads what stands behind `npm run ... --`. `--help` is answered and ends the process with status 0; what the command does not
 * take gets one sentence and ends it with 2.
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

/** Prints the help and ends the process if that is asked for. */
export function answerHelp({ help }: Usage, args: readonly string[]): void {
  if (!args.includes('--help') && !args.includes('-h')) return;
  process.stdout.write(help.endsWith('\n') ? help : `${help}\n`);
  process.exit(0);
}

/** Ends the process with the first sentence of what is wrong, and where to find what is right. */
export function complain({ command }: Usage, wrong: string): never {
  const [sentence = ''] = wrong.split(/\.\s|\n/);
  process.stderr.write(`${sentence.replace(/\.$/, '')}; ${command} -- --help says what it takes\n`);
  process.exit(2);
}
