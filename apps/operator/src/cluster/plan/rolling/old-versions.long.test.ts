// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.4', '3.4.31', '3.5', '3.6', '3.7'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

// The newer version has /livez and /readyz, and its probes use them.
describe.each(['3.4.23', '3.4.31'])('three quiet members of %s, up to 3.7', (oldest) => {
  const name = `aged-${oldest.replaceAll('.', '-')}`;
  const details = async () => (await ground.get(name)).status?.memberDetails ?? [];
  const memberIds = async () => (await details()).map(({ id }) => id ?? '').sort();

  test('[62] operator rule 12: they come up as voters, one after the other', { timeout: 120_000 }, async () => {
    await ground.create(name, { size: 3, version: oldest });
    await ground.settled(name, 100_000);
    await ground.put(name, 'a', '1');
    expect(await memberIds()).toHaveLength(3);
  });

  test.each(['3.5.35', '3.6.16', '3.7.3'])('operator rule 3: %s', { timeout: 180_000 }, async (version) => {
    const before = await memberIds();
    await ground.change(name, { version });
    await ground.settled(name, 150_000);
    expect((await details()).map((member) => member.version)).toEqual([version, version, version]);
    expect(await memberIds()).toEqual(before);
    expect(await ground.read(name, 'a')).toBe('1');
  });
});
