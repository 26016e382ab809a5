// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { ModelEtcd } from './model-etcd.ts';
import { RealEtcd } from './real-etcd.ts';
import { type EtcdUnderTest, pause, randomScript, type ScriptedOperation } from './script.ts';

/** How many random scripts each minor runs, beside the fixed ones. `PARITY_SCRIPTS=1 PARITY_SEED=7` repeats a single one. */
const count = Number(process.env['PARITY_SCRIPTS'] ?? 45);
const firstSeed = Number(process.env['PARITY_SEED'] ?? 1);
/** Processes wait for most of the time: so many scripts run side by side. */
const atOnce = 8;

const learner = (member: string, by = 'a'): readonly ScriptedOperation[] => [
  { do: 'add', member, isLearner: true, by },
  { do: 'start', member },
];
const voter = (member: string): readonly ScriptedOperation[] => [
  ...learner(member),
  { do: 'promote', member, by: 'a' },
];

const fixed: Readonly<Record<string, readonly ScriptedOperation[]>> = {
  'a learner joins and is promoted': voter('b'),
  'nothing is added beside a voter that has just started, and a moment later it is': [
    ...voter('b'),
    { do: 'kill', member: 'b' },
    { do: 'start', member: 'b', hurried: true },
    { do: 'add', member: 'c', isLearner: true, by: 'a' },
    { do: 'add', member: 'c', isLearner: true, by: 'a' },
  ],
  'an unstarted learner is not promoted': [
    { do: 'add', member: 'b', isLearner: true, by: 'a' },
    { do: 'promote', member: 'b', by: 'a' },
  ],
  'a voter beside a single one stops everything until it starts': [
    { do: 'add', member: 'b', isLearner: false, by: 'a' },
    { do: 'add', member: 'c', isLearner: true, by: 'a' },
    { do: 'start', member: 'b' },
  ],
  'with one of three dead nobody is added, and the dead one is removed': [
    ...voter('b'),
    ...voter('c'),
    { do: 'kill', member: 'c' },
    { do: 'add', member: 'd', isLearner: true, by: 'a' },
    { do: 'remove', member: 'c', by: 'a' },
    { do: 'add', member: 'd', isLearner: true, by: 'b' },
  ],
  'a removed member ends and does not come back': [
    ...voter('b'),
    ...voter('c'),
    { do: 'remove', member: 'c', by: 'b' },
    { do: 'start', member: 'c' },
  ],
  'a single member is not removed': [{ do: 'remove', member: 'a', by: 'a' }],
  'a learner on an empty disk joins again': [
    ...learner('b'),
    { do: 'kill', member: 'b' },
    { do: 'wipe', member: 'b' },
    { do: 'start', member: 'b' },
  ],
};

async function live(etcd: EtcdUnderTest, script: readonly ScriptedOperation[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const operation of script) {
    const outcome = `${JSON.stringify(operation)} -> ${await etcd.perform(operation)}`;
    if (!operation.hurried) await etcd.pass(pause);
    lines.push(operation.hurried ? outcome : `${outcome}; ${await etcd.members()}`);
  }
  return lines;
}

async function compare(
  minor: string,
  script: readonly ScriptedOperation[],
): Promise<{ readonly real: readonly string[]; readonly model: readonly string[] }> {
  await using real = await RealEtcd.open(minor);
  await using model = new ModelEtcd(real.version);
  return { real: await live(real, script), model: await live(model, script) };
}

describe.each(['3.5', '3.6', '3.7'])('etcd %s and its model do the same', (minor) => {
  test.each(Object.entries(fixed))('%s', async (_, script) => {
    const { real, model } = await compare(minor, script);
    expect(model).toEqual(real);
  });

  test(`${count} random scripts from seed ${firstSeed} on`, async () => {
    const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
    const differences: string[] = [];
    const work = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const { real, model } = await compare(minor, randomScript(seed));
        const at = model.findIndex((line, index) => line !== real[index]);
        if (at >= 0)
          differences.push(
            [`seed ${seed}:`, ...real.slice(0, at), `real:  ${real[at]}`, `model: ${model[at]}`].join('\n'),
          );
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    expect(differences).toEqual([]);
  });
});
