// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { ModelEtcd } from './model-etcd.ts';
import { RealEtcd } from './real-etcd.ts';
import { type EtcdUnderTest, pause, type ScriptedOperation } from './script.ts';

const pairs = [
  { older: '3.5', newer: '3.6' },
  { older: '3.6', newer: '3.7' },
] as const;

async function live(etcd: EtcdUnderTest, script: readonly ScriptedOperation[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const operation of script) {
    const outcome = await etcd.perform(operation);
    await etcd.pass(pause);
    lines.push(`${JSON.stringify(operation)} -> ${outcome}; ${await etcd.versions('a')}; ${await etcd.members()}`);
  }
  return lines;
}

async function compare(minor: string, script: readonly ScriptedOperation[]): Promise<readonly string[]> {
  await using real = await RealEtcd.open(minor);
  await using model = new ModelEtcd(real.version);
  const lines = await live(real, script);
  expect(await live(model, script)).toEqual(lines);
  return lines;
}

test.each(pairs)('up from $older to $newer, and not back', async ({ older, newer }) => {
  const lines = await compare(older, [
    { do: 'add', member: 'b', isLearner: true, by: 'a' },
    { do: 'start', member: 'b' },
    { do: 'kill', member: 'a' },
    { do: 'start', member: 'a', version: newer },
    { do: 'kill', member: 'b' },
    { do: 'start', member: 'b', version: newer },
    { do: 'kill', member: 'b' },
    { do: 'start', member: 'b', version: older },
  ]);
  expect(lines.at(-1)).toContain('exits');
});

test.each(pairs)('nobody joins while a downgrade from $newer to $older is enabled', async ({ older, newer }) => {
  const lines = await compare(newer, [
    { do: 'downgrade', to: older, by: 'a' },
    { do: 'downgrade', to: older, by: 'a' },
    { do: 'add', member: 'b', isLearner: true, by: 'a' },
    { do: 'start', member: 'b', version: older },
    { do: 'start', member: 'b', version: newer },
    { do: 'downgrade', by: 'a' },
    { do: 'start', member: 'b', version: newer },
  ]);
  expect(lines[3]).toContain('exits');
  expect(lines[4]).toContain('exits');
  expect(lines.at(-1)).toContain('serves');
});

test.each(pairs)('down from $newer to $older', async ({ older, newer }) => {
  const lines = await compare(newer, [
    { do: 'downgrade', to: older, by: 'a' },
    { do: 'kill', member: 'a' },
    { do: 'start', member: 'a', version: older },
  ]);
  expect(lines.at(-1)).toContain('serves');
});
