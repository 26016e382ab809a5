// SPDX-License-Identifier: Apache-2.0
import { hasScreen, OptionError, type PlaygroundOptions, parseOptions, usage } from './options.ts';
import { runPlayground } from './playground.ts';

/** Runs `npm start` with the given words. Resolves with the exit status. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args);
    if (options) return await play(options);
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof OptionError ? 2 : 1;
  }
}

async function play(options: PlaygroundOptions): Promise<number> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => stop.abort(new Error(`received ${name}`)));
  }
  const { stdin: input, stdout: output } = process;
  // The reader of our output has gone, so there is nothing left to do.
  output.on('error', (error) => stop.abort(error));
  const isTerminal = input.isTTY && output.isTTY && hasScreen(options, process.env);
  try {
    const write = (line: string) => output.write(`${line}\n`);
    const terminal = isTerminal ? { input, output } : undefined;
    await runPlayground(options, { env: process.env, write, terminal }, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  return 0;
}
