// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import type { OperatorLab } from './operator-lab.ts';

/** A client that writes to one member continuously. */
export interface Writer {
  /** The pod of that member. */
  readonly pod: string;
  /** Stops the client. Resolves with the longest time without an acknowledged write, in milliseconds, and the number of writes. */
  stop(): Promise<{ readonly longestGap: number; readonly writes: number }>;
}

/** Writes every 50 ms to one member of a cluster, other than `but`, until it is stopped. */
export async function startWriter(ground: OperatorLab, cluster: string, but?: string): Promise<Writer> {
  const [pod] = (await ground.pods(cluster)).filter(({ metadata }) => metadata?.name !== but);
  const client = new MemberClient({
    target: { host: pod?.status?.podIP ?? '', port: clientPort },
    clock: systemClock,
    dial: ({ host, port }) => ground.lab.dial(host, port),
    timeoutMs: 1_000,
  });
  let isStopped = false;
  let writes = 0;
  let longestGap = 0;
  const run = async () => {
    let last = systemClock.monotonic();
    while (!isStopped) {
      const isWritten = await client.kv.put({ key: Buffer.from('beat'), value: Buffer.from(`${writes}`) }).then(
        () => true,
        () => false,
      );
      const now = systemClock.monotonic();
      longestGap = Math.max(longestGap, now - last);
      if (isWritten) {
        last = now;
        writes++;
      }
      await systemClock.sleep(50);
    }
  };
  const running = run();
  return {
    pod: pod?.metadata?.name ?? '',
    stop: async () => {
      isStopped = true;
      await running;
      client.close();
      return { longestGap, writes };
    },
  };
}
