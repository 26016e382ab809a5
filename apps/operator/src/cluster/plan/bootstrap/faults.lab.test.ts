// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const names = async (cluster: string) => (await ground.pods(cluster)).map((pod) => pod.metadata?.name ?? '').sort();
const memberIds = async (cluster: string) =>
  (await ground.get(cluster)).status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];
const key = (name: string) => ({ namespace: 'default', name });

describe('the operator is killed or doubled', () => {
  test('[52] killed again and again during bootstrap, it finishes with one cluster', async () => {
    await ground.create('killed', { size: 3 });
    for (let kills = 0; kills < 6; kills++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      await ground.stopOperator();
      ground.startOperator();
    }
    const { status } = await ground.settled('killed');
    expect(status?.phase).toBe('Running');
    expect(await names('killed')).toHaveLength(3);
  });

  test('fault 3, operator rule 13: two operators at once make three members, not six', async () => {
    const second = await ground.secondOperator();
    await ground.create('twice', { size: 3 });
    await ground.settled('twice');
    expect(await names('twice')).toHaveLength(3);
    expect(await memberIds('twice')).toHaveLength(3);
    await second.stop();
  });
});

describe('a spec that cannot work', () => {
  test('[54] created with a version that does not exist, corrected, it comes up', async () => {
    await ground.create('typo', { size: 3, version: '3.6.99' });
    await ground.until('reported', async () => {
      const words = (await ground.get('typo')).status?.plan?.waitingFor?.join() ?? '';
      return /ErrImagePull|ImagePullBackOff/.test(words) ? words : undefined;
    });
    await ground.change('typo', { version: '3.6.16' });
    expect((await ground.settled('typo')).status?.currentVersion).toBe('3.6.16');
  });
});

describe('data that is lost', () => {
  test('operator rule 1: the same pod back with a blank directory is replaced by a fresh member, and no write is lost', async () => {
    await ground.create('blank', { size: 3 });
    const { status } = await ground.settled('blank');
    await ground.put('blank', 'a', '1');
    const victim = status?.memberDetails?.find(({ role }) => role === 'Follower')?.name ?? '';
    const before = await memberIds('blank');
    const uid = (await ground.pods('blank')).find(({ metadata }) => metadata?.name === victim)?.metadata?.uid;
    await ground.lab.faults.disk.blank(key(victim), 'etcd-data');
    await ground.lab.faults.pod.signal(key(victim), 'SIGKILL', 'etcd');
    await ground.until(
      'another member',
      async () => ((await memberIds('blank')).join() === before.join() ? undefined : true),
      180_000,
    );
    await ground.settled('blank');
    const pods = await ground.until('its pod gone', async () => {
      const found = await ground.pods('blank');
      return found.some(({ metadata }) => metadata?.uid === uid) ? undefined : found;
    });
    expect(pods).toHaveLength(3);
    expect(await ground.read('blank', 'a')).toBe('1');
  });

  test('[49] a container that is killed comes back in place, with its data', async () => {
    const before = await memberIds('blank');
    const [victim = ''] = await names('blank');
    await ground.lab.faults.pod.signal(key(victim), 'SIGKILL', 'etcd');
    await ground.until('restarted', async () => {
      const pod = (await ground.pods('blank')).find(({ metadata }) => metadata?.name === victim);
      return (pod?.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0 ? true : undefined;
    });
    await ground.settled('blank');
    expect(await memberIds('blank')).toEqual(before);
  });
});
