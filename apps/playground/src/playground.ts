// SPDX-License-Identifier: Apache-2.0
import type { ReadStream, WriteStream } from 'node:tty';
import { whenAborted } from '@operator-parts/kube';
import { type Clock, systemClock } from '@operator-parts/ports';
import type { Entry } from './control/registry.ts';
import type { LabActions } from './lab/lab-actions.ts';
import { LiveScreen } from './live-screen.ts';
import type { PlaygroundOptions } from './options.ts';
import { runPlainLines } from './plain-lines.ts';
import { Session } from './session.ts';
import { runShell } from './shell.ts';
import { runStage } from './stage.ts';

/** What the playground uses of the machine. */
export interface PlaygroundEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (line: string) => void;
  /** Absent without a terminal, or if plain lines are requested. */
  readonly terminal: { readonly input: ReadStream; readonly output: WriteStream } | undefined;
  readonly clock?: Clock;
}

/** A Kubernetes in this process tree with the operator, which creates a real etcd cluster and keeps it running. */
export async function runPlayground(
  options: PlaygroundOptions,
  environment: PlaygroundEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const clock = environment.clock ?? systemClock;
  const started = clock.monotonic();
  const end = new AbortController();
  const work = AbortSignal.any([signal, end.signal]);
  let actions: LabActions | undefined;
  let screen: LiveScreen | undefined;
  let entry: Entry | undefined;
  const session = new Session({
    clock,
    started,
    perform: (action) => {
      if (!actions) throw new Error('the playground is still starting');
      return actions.perform(action, work);
    },
    openShell: async () => {
      const there = entry;
      if (!there) throw new Error('the playground is still starting: press ! again in a moment');
      await screen?.lend(() => runShell(there, { env: environment.env, ended: whenAborted(work) }));
    },
  });
  const { terminal } = environment;
  screen =
    terminal && new LiveScreen(session, { ...terminal, withColour: hasColour(environment.env), clock, signal: work });
  const shown = screen
    ? screen.run()
    : runPlainLines(session, { write: environment.write, once: options.once, signal: work });
  const running = runStage({
    ...options,
    env: environment.env,
    session,
    signal: work,
    onReady: (ready) => {
      actions = ready.actions;
      entry = ready.entry;
    },
  });
  try {
    // The first failure ends everything; so does the user.
    await Promise.race([shown, running.then(() => shown)]);
  } finally {
    end.abort(new Error('the playground ends'));
    await shown.catch(() => undefined);
    // A failure to keep the data must be reported; later errors are caused by the shutdown.
    await running.catch((error: unknown) => {
      if (options.keep !== undefined) throw error;
    });
  }
}

function hasColour(env: PlaygroundEnvironment['env']): boolean {
  return !env['NO_COLOR'];
}
