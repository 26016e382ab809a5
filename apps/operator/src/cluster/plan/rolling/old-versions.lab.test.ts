// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.4', '3.5', '3.6'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const details = async (cluster: string) => (await ground.get(cluster)).status?.memberDetails ?? [];

describe('a quiet cluster of 3.4', () => {
  test('[106] operator rule 3: goes to 3.5 and on to 3.6 in place, its data kept', async () => {
    await ground.create('aged', { size: 1, version: '3.4.23' });
    await ground.settled('aged');
    await ground.put('aged', 'a', '1');
    const [pod] = await ground.pods('aged');
    for (const version of ['3.5.35', '3.6.16']) {
      await ground.change('aged', { version });
      await ground.settled('aged');
      expect((await details('aged')).map((member) => member.version)).toEqual([version]);
    }
    expect((await ground.pods('aged')).map(({ metadata }) => metadata?.uid)).toEqual([pod?.metadata?.uid]);
    expect(await ground.read('aged', 'a')).toBe('1');
  });
});
