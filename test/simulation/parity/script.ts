// SPDX-License-Identifier: Apache-2.0
import { type Random, seededRandom } from '@operator-parts/ports';

/** What is done to a cluster of etcd. Members are named by letters; `a` bootstraps the cluster. `by` is the member that is asked. */
export type Operation =
  | { readonly do: 'add'; readonly member: string; readonly isLearner: boolean; readonly by: string }
  | { readonly do: 'remove'; readonly member: string; readonly by: string }
  | { readonly do: 'promote'; readonly member: string; readonly by: string }
  /** `version` is a minor; without it the one that the cluster began with. */
  | { readonly do: 'start'; readonly member: string; readonly version?: string }
  /** Without `to` it is called off. */
  | { readonly do: 'downgrade'; readonly to?: string; readonly by: string }
  | { readonly do: 'kill'; readonly member: string }
  | { readonly do: 'wipe'; readonly member: string };

/** `hurried`: the next one follows at once, well within the time for which a connection must have stood. */
export type ScriptedOperation = Operation & { readonly hurried?: true };

/** The two ends of a comparison: real etcd, and its model. */
export interface EtcdUnderTest extends AsyncDisposable {
  /** `ok`, or the refusal in etcd's words, or `unknown` if no answer came. */
  perform(operation: Operation): Promise<string>;
  pass(milliseconds: number): Promise<void>;
  /** Who is in, as a quorum sees it; `no quorum` without one. */
  members(): Promise<string>;
  /** What a member says of versions: its own minor, the cluster's, that of its database, and where a downgrade leads. */
  versions(member: string): Promise<string>;
}

/**
 * How long everybody waits after an operation, in milliseconds: longer than the 5 s for which a connection must have stood, so that it does
 * not matter how long the operation took.
 */
export const pause = 7_000;

const letters = ['a', 'b', 'c', 'd'] as const;

/** A random life of a small cluster. What can only end in a deadlock is not avoided: etcd has to deadlock just the same. */
export function randomScript(seed: number): readonly ScriptedOperation[] {
  const random = seededRandom(seed);
  const operations: ScriptedOperation[] = [];
  const known = new Set<string>(['a']);
  const running = new Set<string>(['a']);
  const length = 6 + Math.floor(random.next() * 6);
  while (operations.length < length) {
    const operation = nextOperation(random, known, running);
    if (operation) operations.push(random.next() < 0.2 ? { ...operation, hurried: true } : operation);
  }
  return operations;
}

function nextOperation(random: Random, known: Set<string>, running: Set<string>): Operation | undefined {
  const pick = <T>(items: Iterable<T>): T | undefined => {
    const list = [...items];
    return list[Math.floor(random.next() * list.length)];
  };
  const by = pick(running);
  const member = pick(known) ?? 'a';
  const kind = pick(['add', 'add', 'start', 'start', 'promote', 'promote', 'remove', 'kill', 'wipe'] as const);
  switch (kind) {
    case 'add': {
      const fresh = letters.find((letter) => !known.has(letter));
      if (!fresh || !by) return undefined;
      known.add(fresh);
      return { do: 'add', member: fresh, isLearner: random.next() < 0.7, by };
    }
    case 'start':
      if (running.has(member)) return undefined;
      running.add(member);
      return { do: 'start', member };
    case 'kill':
      if (!running.delete(member)) return undefined;
      return { do: 'kill', member };
    case 'wipe':
      return running.has(member) || member === 'a' ? undefined : { do: 'wipe', member };
    case 'promote':
    case 'remove':
      return changeOf(kind, member, by);
    case undefined:
      return undefined;
  }
}

/** Whoever removes itself may or may not live to say so. */
function changeOf(kind: 'promote' | 'remove', member: string, by: string | undefined): Operation | undefined {
  if (by === undefined || (kind === 'remove' && by === member)) return undefined;
  return { do: kind, member, by };
}
