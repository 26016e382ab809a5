// SPDX-License-Identifier: Apache-2.0
import type { Resource } from '@etcd-operator/kube';
import type { Access } from '../access.ts';
import { CliError } from '../cli-error.ts';
import type { StoreObject } from './store-objects.ts';

const lookAgain = 500;

/** Waits until an operator has reported on an object. Fails if it reports a failure, or nothing in time. */
export async function awaitOutcome(
  { client, namespace, clock, signal }: Access,
  resource: Resource<StoreObject>,
  name: string,
  timeout: number,
): Promise<StoreObject> {
  const end = clock.monotonic() + timeout;
  for (;;) {
    const object = await client.resource(resource).get({ namespace, name }, { signal });
    const { succeeded, Reason, reason } = object.status ?? {};
    if (succeeded) return object;
    const why = Reason || reason;
    if (why) throw new CliError('Failed', `${resource.kind} ${name} failed: ${why}`);
    if (clock.monotonic() > end) {
      const message = `nothing was reported on ${resource.kind} ${name} within ${timeout / 1000} s: does its operator run? It is left as it is`;
      throw new CliError('Timeout', message);
    }
    await clock.sleep(lookAgain, signal);
  }
}
