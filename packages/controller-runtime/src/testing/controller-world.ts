// SPDX-License-Identifier: Apache-2.0
import { createLogger, type LogRecord, seededRandom, VirtualClock } from '@operator-parts/ports';
import { type BuildOptions, buildController, type ControllerBuilder } from '../controller/builder.ts';
import type { ReconcileFunction } from '../controller/reconciler.ts';
import { createManager, type ManagerOptions } from '../manager/manager.ts';
import { ScriptedClient } from './scripted-client.ts';
import { things } from './things.ts';

/**
 * A controller of things with a scripted server, under virtual time. `start` builds and runs it; `note` writes
 * `name@time` into `seen`; `metric` reads one series.
 */
export function controllerWorld(options: Partial<ManagerOptions> = {}) {
  const clock = new VirtualClock();
  const client = new ScriptedClient(clock);
  const lines: LogRecord[] = [];
  const log = createLogger({ clock, level: 'debug', write: (line) => lines.push(line) });
  const manager = createManager({ client, clock, random: seededRandom(1), log, freeze: true, ...options });
  const stop = new AbortController();
  const seen: string[] = [];
  const note = (request: { readonly name: string }) => void seen.push(`${request.name}@${clock.monotonic()}`);
  const start = (
    reconciler: ReconcileFunction,
    buildOptions: Partial<BuildOptions> = {},
    extend: (builder: ControllerBuilder) => ControllerBuilder = (builder) => builder,
  ) => {
    const builder = buildController(manager, { name: 'things', ...buildOptions }).forKind(things);
    extend(builder).complete(reconciler);
    const ended = manager.run(stop.signal);
    // Tests check the outcome later; until then it must not count as an unhandled rejection.
    ended.catch(() => undefined);
    return { ended };
  };
  const metric = (line: string) => Number(new RegExp(`^${line} (.*)$`, 'm').exec(manager.metrics.render())?.[1]);
  return { clock, client, manager, stop, seen, note, start, lines, metric };
}
