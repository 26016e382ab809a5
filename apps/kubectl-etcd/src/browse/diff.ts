// SPDX-License-Identifier: Apache-2.0
import { diffKeys, type KeyChange, type ListedKey, printable } from '@operator-parts/etcd';
import type { Access } from '../access.ts';
import { formatBytes } from '../render/bytes.ts';
import { documentWriter } from './document-writer.ts';
import { type KeySource, openSource, type SourceOptions } from './open-source.ts';
import { bytesField, type Output, shownState, sourceText, warn } from './shown-key.ts';
import type { SourceName } from './source-name.ts';

export interface DiffAsked extends SourceOptions {
  readonly from: SourceName;
  readonly to: SourceName;
  readonly prefix: Uint8Array;
  readonly revision: bigint | undefined;
  readonly toRevision: bigint | undefined;
  readonly toAt: number | undefined;
  readonly values: boolean;
}

/**
 * Prints the keys that differ between a backup and another backup or a cluster. Resolves with true if there are any.
 */
export async function diff(access: Access, asked: DiffAsked, output: Output): Promise<boolean> {
  await using from = await openSource(access, asked.from, asked.revision, asked);
  await using to = await openSource(access, liveOf(asked.to, from.cluster), asked.toRevision, {
    ...asked,
    at: asked.toAt,
  });
  for (const { facts } of [from, to]) warn(facts, output);
  const writer = writerOf(from, to, output, asked.values);
  const counts = { added: 0, removed: 0, changed: 0, same: 0 };
  for await (const one of diffKeys(from.keys(asked.prefix), to.keys(asked.prefix))) {
    counts[one.change] += 1;
    if (one.change !== 'same') await writer.item(one);
  }
  writer.end(counts);
  return counts.added + counts.removed + counts.changed > 0;
}

/** `live` is the cluster from which the other backup was made. */
function liveOf(name: SourceName, cluster: string | undefined): SourceName {
  return name.kind === 'live' && name.cluster === undefined ? { kind: 'live', cluster } : name;
}

type Counts = Readonly<Record<KeyChange['change'], number>>;

function writerOf(from: KeySource, to: KeySource, { format, out }: Output, values: boolean) {
  if (format === 'json' || format === 'yaml') {
    const document = documentWriter(format, { from: from.facts, to: to.facts }, 'changes', out);
    return {
      item: async (one: Difference) => document.item(await forPrograms(one, values)),
      end: (counts: Counts) => document.end(counts),
    };
  }
  return {
    item: async (one: Difference) => out(`${(await forPeople(one, values)).join('\n')}\n`),
    end: ({ added, removed, changed, same }: Counts) => {
      out(`keys: ${added} added, ${removed} removed, ${changed} changed, ${same} unchanged\n`);
      out(`from ${sourceText(from.facts)}\nto   ${sourceText(to.facts)}\n`);
    },
  };
}

type Difference = Exclude<KeyChange, { change: 'same' }>;

async function forPrograms(one: Difference, values: boolean): Promise<Readonly<Record<string, unknown>>> {
  const { key } = one.change === 'added' ? one.to : one.from;
  return {
    change: one.change,
    ...bytesField('key', key),
    ...(one.change === 'changed' && { differs: one.differs }),
    ...(one.change !== 'added' && { from: await shownState(one.from, values) }),
    ...(one.change !== 'removed' && { to: await shownState(one.to, values) }),
  };
}

async function forPeople(one: Difference, values: boolean): Promise<readonly string[]> {
  const before = one.change !== 'added' && values ? [await valueLine('-', one.from)] : [];
  const after = one.change !== 'removed' && values ? [await valueLine('+', one.to)] : [];
  switch (one.change) {
    case 'added':
      return [`+ ${printable(one.to.key)}   ${size(one.to)}, revision ${one.to.modRevision}`, ...after];
    case 'removed':
      return [`- ${printable(one.from.key)}   ${size(one.from)}, revision ${one.from.modRevision}`, ...before];
    case 'changed': {
      const sizes = `${size(one.from)} -> ${size(one.to)}, revision ${one.from.modRevision} -> ${one.to.modRevision}`;
      const lines = one.differs.includes('value') ? [...before, ...after] : [];
      return [`~ ${printable(one.to.key)}   ${one.differs.join(' and ')}: ${sizes}`, ...lines];
    }
  }
}

function size({ valueBytes }: ListedKey): string {
  return formatBytes(valueBytes);
}

async function valueLine(sign: string, key: ListedKey): Promise<string> {
  return `    ${sign} ${printable(await key.value())}`;
}
