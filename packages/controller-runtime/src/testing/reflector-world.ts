// SPDX-License-Identifier: Apache-2.0
import { createLogger, type LogRecord, seededRandom, VirtualClock } from '@operator-parts/ports';
import { Informer, type InformerOptions } from '../informer/informer.ts';
import { MetricRegistry } from '../metrics/registry.ts';
import { ScriptedKind, type SeenRequest } from './scripted-kind.ts';
import { type Thing, things } from './things.ts';

/** An informer of things with a scripted server, under virtual time. `told` is what its handler received. */
export function reflectorWorld(options: Partial<InformerOptions<Thing>> = {}) {
  const clock = new VirtualClock();
  const kind = new ScriptedKind<Thing>(clock);
  const metrics = new MetricRegistry();
  const lines: LogRecord[] = [];
  const informer = new Informer<Thing>({
    resource: things,
    reader: kind,
    clock,
    random: seededRandom(3),
    log: createLogger({ clock, write: (line) => lines.push(line) }),
    metrics,
    freeze: true,
    ...options,
  });
  const told: string[] = [];
  const label = ({ metadata }: Thing) => `${metadata?.name}@${metadata?.resourceVersion}`;
  informer.addHandler({
    added: (object) => void told.push(`+${label(object)}`),
    updated: (before, after) => void told.push(`~${label(before)}>${label(after)}`),
    removed: (object, how) => void told.push(`-${label(object)}${how.finalStateUnknown ? ' unknown' : ''}`),
  });
  const stop = new AbortController();
  // One turn later, so that a test can change the server first.
  const ended = Promise.resolve().then(() => informer.run(stop.signal));
  const names = () => informer.lister.list().map(({ metadata }) => metadata?.name ?? '');
  const problems = (problem: string) =>
    Number(
      new RegExp(`reflector_problems_total\\{[^}]*problem="${problem}"\\} (\\d+)`).exec(metrics.render())?.[1] ?? 0,
    );
  const operations = () => kind.requests.map(nameOf);
  /** Requests without the version check that precedes each resumed watch. */
  const requests = () => kind.requests.filter(({ options: { limit } }) => limit !== 1);
  return { clock, kind, informer, told, stop, ended, names, problems, operations, lines, requests };
}

/** Open watches deliver nothing any more, without an error. */
export const stallWatches = (kind: ScriptedKind<Thing>) =>
  kind.disturb((stream) => {
    stream.stalled = true;
  });

function nameOf({ operation, options }: SeenRequest): string {
  if (options.sendInitialEvents) return 'stream';
  if (options.limit === 1) return 'look';
  if (options.continue) return 'next page';
  return operation === 'list' && !options.limit ? 'full list' : operation;
}
