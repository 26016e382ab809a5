// SPDX-License-Identifier: Apache-2.0

/** What one test file could leave to the next of the same process. */
export interface ProcessState {
  readonly directory: string;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** How many of each kind keep the process from ending: servers, sockets, child processes, timers. */
  readonly resources: Readonly<Record<string, number>>;
}

/** This process as it is now. */
export function processState(): ProcessState {
  // Pipes are those of child processes, which are told of by themselves, and the streams of the process, opened at their first use.
  const open = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap');
  const kinds = Object.groupBy(open, (kind) => kind);
  const resources = Object.entries(kinds).map(([kind, all]) => [kind, all?.length ?? 0]);
  return { directory: process.cwd(), environment: { ...process.env }, resources: Object.fromEntries(resources) };
}

/** What was not put back, one phrase for each; a file that ends more than it began is fine. */
export function leftBehind(before: ProcessState, after: ProcessState): readonly string[] {
  const names = new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]);
  const changed = [...names].filter((name) => before.environment[name] !== after.environment[name]);
  const open = Object.entries(after.resources).map(([kind, count]) => ({
    kind,
    more: count - (before.resources[kind] ?? 0),
  }));
  return [
    ...(before.directory === after.directory ? [] : [`the working directory ${after.directory}`]),
    ...changed.sort().map((name) => `another value of the environment variable ${name}`),
    ...open.filter(({ more }) => more > 0).map(({ kind, more }) => `${more} open ${kind}`),
  ];
}
