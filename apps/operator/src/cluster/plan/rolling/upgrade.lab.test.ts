// SPDX-License-Identifier: Apache-2.0
import { events } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.5', '3.6', '3.7'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const memberIds = async (cluster: string) =>
  (await ground.get(cluster)).status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];
const versions = async (cluster: string) =>
  (await ground.get(cluster)).status?.memberDetails?.map(({ version }) => version ?? '') ?? [];

interface Told {
  readonly reason: string;
  readonly message: string;
}

async function eventsOf(cluster: string): Promise<readonly Told[]> {
  const { items } = await ground.lab
    .client()
    .resource(events)
    .list({ namespace: 'default', fieldSelector: `involvedObject.kind=EtcdCluster,involvedObject.name=${cluster}` });
  return items.map(({ reason = '', message = '' }) => ({ reason, message }));
}

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

  test('operator rule 3: 3.6 to 3.7 after that does not brick it', async () => {
    await ground.change('quiet', { version: '3.7.3' });
    await ground.settled('quiet');
    expect(await versions('quiet')).toEqual(['3.7.3', '3.7.3', '3.7.3']);
    expect(await ground.read('quiet', 'a')).toBe('1');
  });

  test('[9] fault 46: a skipped minor is refused with the reason, and nothing is touched', async () => {
    await ground.create('skip', { size: 1, version: '3.5.35' });
    await ground.settled('skip');
    await ground.change('skip', { version: '3.7.3' });
    const condition = await ground.until('held', async () => {
      const found = (await ground.get('skip')).status?.conditions?.find(({ type }) => type === 'Upgrading');
      return found?.reason === 'UpgradeHeld' ? found : undefined;
    });
    expect(condition.message).toContain('only one minor at a time');
    expect(await versions('skip')).toEqual(['3.5.35']);
  });

  test('[63] fault 45: an image that does not exist stops no member, and correcting it heals (operator rule 6)', async () => {
    await ground.change('skip', { version: '3.5.99' });
    await ground.until('held', async () => {
      const found = (await ground.get('skip')).status?.conditions?.find(({ type }) => type === 'Upgrading');
      return found?.message?.includes('cannot be used') ? found : undefined;
    });
    expect(await versions('skip')).toEqual(['3.5.35']);
    await ground.change('skip', { version: '3.5.35' });
    await ground.settled('skip');
  });

  test('safety 18: the upgrade of a single member is no loss of quorum, and is told when the member is up', async () => {
    await ground.create('single', { size: 1, version: '3.5.35' });
    await ground.settled('single');
    await ground.change('single', { version: '3.6.16' });
    const reasons = new Set<string>();
    const told = await ground.until('Member Upgraded', async () => {
      const { status } = await ground.get('single');
      reasons.add(status?.conditions?.find(({ type }) => type === 'Available')?.reason ?? '');
      return (await eventsOf('single')).find(({ reason }) => reason === 'Member Upgraded');
    });
    using member = await ground.member('single');
    expect((await member.maintenance.status()).version).toBe('3.6.16');
    expect(told.message).toContain('upgraded from 3.5.35 to 3.6.16');
    await ground.settled('single');
    expect([...reasons].filter((reason) => ['QuorumLost', 'Unreachable'].includes(reason))).toEqual([]);
    expect((await eventsOf('single')).map(({ reason }) => reason)).not.toContain('QuorumLost');
  });
});
