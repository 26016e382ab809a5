// SPDX-License-Identifier: Apache-2.0
/** An informer of one kind with one handler that counts and, on request, records how long changes took to arrive. */

import { etcdClusters } from '@etcd-operator/operator';
import { Informer, type InformerOptions } from '@operator-parts/controller-runtime';
import { type KubeObject, pods, type Resource } from '@operator-parts/kube';
import { silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { clientOfEnvironment, collectGarbage, cpuSeconds, flag, quantilesOf, serve } from './serve.ts';

const stamp = 'bench.etcd-operator/sent';
const wanted = Number(flag('count'));
const client = await clientOfEnvironment();
const resource = (flag('kind') === 'pods' ? pods : etcdClusters.resource) as unknown as Resource<KubeObject>;
const options: InformerOptions<KubeObject> = {
  resource,
  reader: client.resource(resource),
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
};
const informer = new Informer(options);
let latencies: number[] = [];
let cpuBefore = 0;
/** The offset from the monotonic clock to wall-clock time, which the sender's timestamps use; in milliseconds. */
let clockOffset = 0;

await serve((word) => {
  switch (word) {
    case 'go':
      return sync();
    case 'gc':
      collectGarbage();
      return { done: true };
    case 'watch':
      latencies = [];
      clockOffset = offsetToMachine();
      cpuBefore = cpuSeconds();
      return { done: true };
    case 'watched':
      return { ...quantilesOf(latencies), cpu: cpuSeconds() - cpuBefore };
    default:
      throw new Error(`there is no word "${word}"`);
  }
});

async function sync(): Promise<object> {
  const cpu = cpuSeconds();
  const begun = performance.now();
  await new Promise<void>((resolve) => {
    let added = 0;
    informer.addHandler({
      added: () => {
        if (++added === wanted) resolve();
      },
      updated: (_, { metadata }) => {
        const sent = metadata?.annotations?.[stamp];
        if (sent !== undefined) latencies.push(clockOffset + performance.now() - Number(sent));
      },
    });
    void informer.run(new AbortController().signal);
  });
  return { wall: (performance.now() - begun) / 1000, cpu: cpuSeconds() - cpu };
}

/** Measured at the beginning of a millisecond, because wall-clock time has whole milliseconds. */
function offsetToMachine(): number {
  const before = Date.now();
  while (Date.now() === before);
  return Date.now() - performance.now();
}
