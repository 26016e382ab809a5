// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { endpointSlices, type Pod } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdClusterStatus, etcdClusters } from '../../api/etcd-cluster.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const isAvailable = (status: EtcdClusterStatus | undefined) =>
  status?.conditions?.some((condition) => condition.type === 'Available' && condition.status === 'True') ?? false;

const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

/** The endpoint addresses of the Service. */
async function endpoints(service: string): Promise<readonly string[]> {
  const { items } = await ground.lab
    .client()
    .resource(endpointSlices)
    .list({ namespace: 'default', labelSelector: `kubernetes.io/service-name=${service}` });
  return items
    .flatMap((slice) => slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready)
    .flatMap(({ addresses }) => addresses);
}

describe('safety 18: Available', () => {
  test('is said when a pod behind the Service is Ready, not before, and then a client of the Service writes', async () => {
    const created = await ground.create('served', { size: 3 });
    const feed = ground.lab
      .client()
      .resource(etcdClusters.resource)
      .watch({ namespace: 'default', resourceVersion: created.metadata?.resourceVersion ?? '' });
    const unready: (readonly string[])[] = [];
    for await (const event of feed) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      const { status } = event.object;
      // Members that are counted as ready must be listed as ready at every moment.
      expect(status?.readySize ?? 0).toBeLessThanOrEqual(status?.members?.ready?.length ?? 0);
      if (!isAvailable(status)) {
        unready.push(status?.members?.unready ?? []);
        continue;
      }
      // The endpoint controller uses the same condition, a moment earlier or later.
      expect((await ground.pods('served')).some(isReady)).toBe(true);
      break;
    }
    expect(unready.length).toBeGreaterThan(0);
    await ground.until('an endpoint', async () => ((await endpoints('served-client')).length > 0 ? true : undefined));
    using client = new MemberClient({
      target: { host: 'served-client', port: clientPort },
      clock: systemClock,
      dial: () => ground.lab.dial({ service: 'served-client', namespace: 'default' }, clientPort),
    });
    await client.kv.put({ key: Buffer.from('a'), value: Buffer.from('1') });
    const { kvs } = await client.kv.range({ key: Buffer.from('a') });
    expect(kvs.map(({ value }) => Buffer.from(value).toString())).toEqual(['1']);
  });
});
