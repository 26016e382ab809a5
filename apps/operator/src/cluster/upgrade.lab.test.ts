// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.5', '3.6', '3.7'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const memberIds = async (cluster: string) =>
  (await ground.get(cluster)).status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];
const versions = async (cluster: string) =>
  (await ground.get(cluster)).status?.memberDetails?.map(({ version }) => version ?? '') ?? [];

describe('upgrades of a quiet cluster', () => {
  test('[62] 3.5 to 3.6 in place: same pods, same members, data kept (C-22)', async () => {
    await ground.create('quiet', { size: 3, version: '3.5.35' });
    await ground.settled('quiet');
    await ground.put('quiet', 'a', '1');
    const before = await memberIds('quiet');
    const pods = (await ground.pods('quiet')).map((pod) => pod.metadata?.uid ?? '').sort();
    await ground.change('quiet', { version: '3.6.16' });
    await ground.settled('quiet');
    expect(await versions('quiet')).toEqual(['3.6.16', '3.6.16', '3.6.16']);
    expect(await memberIds('quiet')).toEqual(before);
    expect((await ground.pods('quiet')).map((pod) => pod.metadata?.uid ?? '').sort()).toEqual(pods);
    expect(await ground.read('quiet', 'a')).toBe('1');
  });

  test('rule 3: 3.6 to 3.7 after that does not brick it', async () => {
    await ground.change('quiet', { version: '3.7.3' });
    await ground.settled('quiet');
    expect(await versions('quiet')).toEqual(['3.7.3', '3.7.3', '3.7.3']);
    expect(await ground.read('quiet', 'a')).toBe('1');
  });

  test('[9] a skipped minor is refused with the reason, and nothing is touched', async () => {
    await ground.create('skip', { size: 1, version: '3.5.35' });
    await ground.settled('skip');
    await ground.change('skip', { version: '3.7.3' });
    const condition = await ground.until('held', async () => {
      const found = (await ground.get('skip')).status?.conditions?.find(({ type }) => type === 'Upgrading');
      return found?.reason === 'UpgradeHeld' ? found : undefined;
    });
    expect(condition.message).toContain('skips a minor');
    expect(await versions('skip')).toEqual(['3.5.35']);
  });

  test('[63] an image that does not exist stops no member, and correcting it heals (rule 6)', async () => {
    await ground.change('skip', { version: '3.5.99' });
    await ground.until('held', async () => {
      const found = (await ground.get('skip')).status?.conditions?.find(({ type }) => type === 'Upgrading');
      return found?.message?.includes('cannot be used') ? found : undefined;
    });
    expect(await versions('skip')).toEqual(['3.5.35']);
    await ground.change('skip', { version: '3.5.35' });
    await ground.settled('skip');
  });
});
