// SPDX-License-Identifier: Apache-2.0

import { clientPort, MemberClient } from '@operator-parts/etcd';
import { labEtcd } from '@operator-parts/etcd/testing';
import type { Pod } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

const nameOf = ({ metadata }: Pod) => metadata?.name ?? '';
const uids = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata?.uid ?? '').sort();
const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

describe('an EtcdRestore of a cluster without volumes, with safetySnapshot Required', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start();
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  /** Three members, and a backup taken before. */
  const written = async (name: string) => {
    const { clusters } = lab;
    await clusters.create(name, { size: 3, version: labEtcd.version, pod: { replaceAfter: '1h' } });
    await clusters.settled(name);
    await lab.fill(name, 20);
    await lab.snapshot(name, `${name}.db`);
    return clusters.pods(name);
  };

  const clientOf = ({ status }: Pod) =>
    new MemberClient({
      target: { host: status?.podIP ?? '', port: clientPort },
      clock: systemClock,
      dial: ({ host, port }) => lab.clusters.lab.dial(host, port),
    });

  /** Writes to one member that the operators cannot reach. */
  const putTo = async (pod: Pod, key: string, value: string) => {
    using member = clientOf(pod);
    await lab.clusters.until(
      `${key} is written`,
      () =>
        member.kv.put({ key: Buffer.from(key), value: Buffer.from(value) }).then(
          () => true,
          () => undefined,
        ),
      30_000,
    );
  };

  test('fails where the operators reach only a member that is cut off from the two that serve: nothing is touched', async () => {
    const { clusters } = lab;
    const before = await written('stale');
    const [alone, ...serving] = before;
    const [other] = serving;
    if (!alone || !other) throw new Error('three pods were expected');
    const endOf = (pod: Pod) => ({ pod: { namespace: 'default', name: nameOf(pod) } });
    const cut = await Promise.all(serving.map((pod) => clusters.lab.faults.network.cut(endOf(alone), endOf(pod))));
    clusters.paths.hide(...serving.flatMap(({ status }) => status?.podIP ?? []));
    await putTo(other, 'acknowledged', 'precious');
    await lab.restore('stale', 'stale.db');
    const status = await lab.ended('stale', 180_000);
    expect(status).toMatchObject({ phase: 'Failed', succeeded: false });
    expect(status.reason).toContain('Ready');
    expect(status.reason).toContain('spec.safetySnapshot: IfPossible');
    expect(status.safetySnapshot).toMatchObject({ current: false, members: [nameOf(alone)] });
    expect(status.safetySnapshot?.warning).toContain('other members may hold newer data than the safety snapshot');
    for (const fault of cut) await fault.heal();
    clusters.paths.showAll();
    await clusters.settled('stale');
    expect(uids(await clusters.pods('stale'))).toEqual(uids(before));
    expect(await clusters.read('stale', 'acknowledged')).toBe('precious');
  }, 400_000);

  test('fails where its members are unreachable and not Ready, and their data is nowhere else: nothing is touched', async () => {
    const { clusters } = lab;
    const before = await written('quiet');
    await clusters.put('quiet', 'acknowledged', 'precious');
    const frozen = await Promise.all(
      before.map((pod) => clusters.lab.faults.pod.freeze({ namespace: 'default', name: nameOf(pod) })),
    );
    await clusters.until(
      'none is Ready',
      async () => ((await clusters.pods('quiet')).some(isReady) ? undefined : true),
      90_000,
    );
    await lab.restore('quiet', 'quiet.db');
    const status = await lab.ended('quiet', 180_000);
    expect(status).toMatchObject({ phase: 'Failed', succeeded: false });
    expect(status.reason).toContain('may hold data of the cluster');
    expect(status.reason).toContain('spec.safetySnapshot: IfPossible');
    for (const fault of frozen) await fault.heal();
    await clusters.settled('quiet');
    expect(uids(await clusters.pods('quiet'))).toEqual(uids(before));
    expect(await clusters.read('quiet', 'acknowledged')).toBe('precious');
  }, 400_000);

  test('succeeds with what the only survivor has, whose peers are gone, and says that they may have had more', async () => {
    const { clusters } = lab;
    const [survivor, ...lost] = await written('survivor');
    if (!survivor) throw new Error('three pods were expected');
    await clusters.put('survivor', 'acknowledged', 'precious');
    await clusters.stopOperator();
    for (const pod of lost) await clusters.deletePod(nameOf(pod), 0);
    {
      using member = clientOf(survivor);
      await clusters.until('the survivor has no leader', async () =>
        (await member.maintenance.status()).leader === 0n ? true : undefined,
      );
    }
    await lab.restore('survivor', 'survivor.db');
    clusters.startOperator();
    const status = await lab.succeeded('survivor', 180_000);
    expect(status.safetySnapshot).toMatchObject({
      current: false,
      warning: expect.stringContaining('other members may hold newer data'),
    });
    await clusters.settled('survivor');
    expect(await clusters.read('survivor', 'acknowledged')).toBeUndefined();
  }, 400_000);
});
