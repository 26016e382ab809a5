// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.6', '3.7'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const details = async () => (await ground.get('quiet')).status?.memberDetails ?? [];
const versions = async () => (await details()).map(({ version }) => version ?? '');
const memberIds = async () => (await details()).map(({ id }) => id ?? '').sort();
const podUids = async () => (await ground.pods('quiet')).map(({ metadata }) => metadata?.uid ?? '').sort();

describe('the way back', () => {
  let members: readonly string[];
  let pods: readonly string[];

  test("one minor down from 3.7 by etcd's own procedure: same pods, same members, data kept", async () => {
    await ground.create('quiet', { size: 3, version: '3.7.3' });
    await ground.settled('quiet');
    await ground.put('quiet', 'a', '1');
    [members, pods] = [await memberIds(), await podUids()];
    await ground.change('quiet', { version: '3.6.16' });
    const { status } = await ground.settled('quiet');
    expect(status?.currentVersion).toBe('3.6.16');
    expect(await versions()).toEqual(['3.6.16', '3.6.16', '3.6.16']);
    expect([await memberIds(), await podUids()]).toEqual([members, pods]);
    expect(await ground.read('quiet', 'a')).toBe('1');
  });

  test('an upgrade that is called off half-way: members that went ahead come back', async () => {
    await ground.change('quiet', { version: '3.7.3' });
    await ground.until(
      'one member ahead',
      async () => ((await versions()).includes('3.7.3') ? true : undefined),
      180_000,
    );
    await ground.change('quiet', { version: '3.6.16' });
    await ground.settled('quiet');
    expect(await versions()).toEqual(['3.6.16', '3.6.16', '3.6.16']);
    expect([await memberIds(), await podUids()]).toEqual([members, pods]);
    expect(await ground.read('quiet', 'a')).toBe('1');
  });
});
