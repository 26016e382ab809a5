// SPDX-License-Identifier: Apache-2.0
import { leases } from '@operator-parts/kube';
import { createLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runEtcdOperator } from '../../../cluster-operator.ts';
import { podLogReader } from '../../../programs/pod-log-reader.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
  await ground.stopOperator();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

/** An operator that holds the lease while it runs. */
function startElected(identity: string) {
  const stop = new AbortController();
  const ended = runEtcdOperator(
    {
      client: ground.lab.client(),
      log: createLogger({ clock: systemClock, level: 'error', write: (record) => ground.log.push(record) }),
      namespace: 'default',
      identity,
      readLog: podLogReader(ground.lab.server.transport()),
      dial: ({ host, port }) => ground.lab.dial(host, port),
      healthInterval: 1_000,
    },
    stop.signal,
  );
  return {
    end: async () => {
      stop.abort(new Error('the test ends this operator'));
      await ended.catch(() => undefined);
    },
  };
}

const holder = async () =>
  (await ground.lab.client().resource(leases).get({ namespace: 'default', name: 'etcd-operator' })).spec
    ?.holderIdentity ?? '';

describe('the operator is restarted in the middle of a bootstrap', () => {
  test('[21] [52] it gives its lease back, so that the next one does not wait for it, and the cluster comes up', async () => {
    const first = startElected('first');
    await ground.create('carried-on', { size: 3 });
    await ground.until('the seed', async () => ((await ground.pods('carried-on')).length > 0 ? true : undefined));
    expect(await holder()).toBe('first');
    await first.end();
    expect(await holder()).toBe('');
    const second = startElected('second');
    expect((await ground.settled('carried-on')).status?.readySize).toBe(3);
    expect(await holder()).toBe('second');
    await second.end();
  });
});
