// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

let lab: RestoreLab;
beforeAll(async () => {
  lab = await RestoreLab.start();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

test('fault 9: members that start late in a cluster of which there is a backup join it, and hold what was written since', async () => {
  const { clusters } = lab;
  await clusters.create('late', { size: 1, version: '3.6.16' });
  await clusters.settled('late');
  await lab.fill('late', 20);
  await lab.snapshot('late', 'late.db');
  await lab.restore('late', 'late.db');
  const { clusterID } = await lab.succeeded('late');
  await clusters.settled('late');
  await clusters.put('late', 'since', 'the restore');
  await clusters.change('late', { size: 3 });
  const { status } = await clusters.settled('late');
  expect(status).toMatchObject({ clusterID, incarnation: 2, readySize: 3 });
  const seen = await Promise.all(
    (await clusters.pods('late')).map(async (pod) => {
      using member = new MemberClient({
        target: { host: pod.status?.podIP ?? '', port: clientPort },
        clock: systemClock,
        dial: ({ host, port }) => clusters.lab.dial(host, port),
      });
      const { kvs } = await member.kv.range({ key: Buffer.from('since') });
      return Buffer.from(kvs[0]?.value ?? []).toString();
    }),
  );
  expect(seen).toEqual(['the restore', 'the restore', 'the restore']);
});
