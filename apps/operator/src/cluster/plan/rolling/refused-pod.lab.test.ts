// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;
beforeAll(async () => {
  ground = await OperatorLab.start();
}, 120_000);
afterAll(() => ground?.[Symbol.asyncDispose]());

const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;
const toleration = { key: 'a', operator: 'Exists', effect: 'NoSchedule' } as const;
const podUid = async () => (await ground.pods('alone'))[0]?.metadata?.uid;

test('safety rule 10: a spec of which the API server makes no pod costs the only member nothing, and a corrected one is carried out', async () => {
  await ground.create('alone', { size: 1, pod: { persistentVolumeClaimSpec } });
  await ground.settled('alone');
  await ground.put('alone', 'a', '1');
  const before = await podUid();
  await ground.change('alone', {
    pod: { persistentVolumeClaimSpec, tolerations: [{ ...toleration, value: 'must be empty' }] },
  });
  const said = await ground.until('the refusal is in the status', async () => {
    const { status } = await ground.get('alone');
    return status?.conditions?.find(({ message }) => message?.includes('the API server would refuse its new pod'));
  });
  expect(said.message).toContain('value must be empty');
  expect(await podUid()).toBe(before);
  expect(await ground.read('alone', 'a')).toBe('1');
  await ground.change('alone', { pod: { persistentVolumeClaimSpec, tolerations: [toleration] } });
  await ground.until('another pod', async () => {
    const uid = await podUid();
    return uid !== undefined && uid !== before ? true : undefined;
  });
  await ground.settled('alone');
  expect(await ground.read('alone', 'a')).toBe('1');
}, 200_000);
