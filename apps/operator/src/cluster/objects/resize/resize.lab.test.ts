// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loseOnePod } from '../../../testing/lose-one-pod.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const names = async (cluster: string) => (await ground.pods(cluster)).map((pod) => pod.metadata?.name ?? '').sort();

describe('a cluster that was resized', () => {
  test('[43] comes up', async () => {
    await ground.create('plain', { size: 3 });
    await ground.settled('plain');
    await ground.put('plain', 'a', '1');
    expect(await ground.read('plain', 'a')).toBe('1');
  });

  test('[45] grows to five and shrinks to three (C-26, C-27)', async () => {
    await ground.change('plain', { size: 5 });
    await ground.settled('plain');
    expect(await names('plain')).toHaveLength(5);
    await ground.change('plain', { size: 3 });
    await ground.settled('plain');
    await ground.until('two pods gone', async () => ((await names('plain')).length === 3 ? true : undefined));
    expect(await ground.read('plain', 'a')).toBe('1');
  });

  test('[49] a deleted pod is replaced by a fresh member, data intact (C-25)', async () => {
    await loseOnePod(ground, 'plain');
    expect(await ground.read('plain', 'a')).toBe('1');
  });
});
