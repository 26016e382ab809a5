// SPDX-License-Identifier: Apache-2.0
import type { Fault, Lab } from '@operator-parts/kube-lab';

/** Cuts off all traffic of a node: with pods of other nodes, with the API server, and with clients outside the cluster. */
export async function cutOffNode({ faults: { network } }: Lab, node: string): Promise<Pick<Fault, 'heal'>> {
  const faults = [
    await network.isolate({ node }),
    await network.cut({ node }, 'api-server'),
    await network.cut({ node }, 'lab'),
  ];
  return {
    heal: async () => {
      for (const fault of faults) await fault.heal();
    },
  };
}
