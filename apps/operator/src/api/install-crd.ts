// SPDX-License-Identifier: Apache-2.0
import { crdOf, type Kind } from '@operator-parts/crd';
import { type Client, type CustomResourceDefinition, customResourceDefinitions } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';
import { fieldManager } from './names.ts';

export interface InstallCrdOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** In milliseconds: how long to wait before the next check whether the kind is served, and before the next attempt after a failure. */
const pollInterval = 100;
const tryAgain = 5_000;

/**
 * Ensures that a kind is served: applies its CRD, also over the CRD of CoreOS etcd-operator, and waits until the API server has accepted
 * the names of the kind and serves the kind. A failure is logged and retried until the signal aborts.
 */
export async function installCrd(kind: Kind, options: InstallCrdOptions): Promise<void> {
  const { client, clock, log, signal } = options;
  const definition = crdOf(kind);
  const name = definition.metadata?.name ?? '';
  for (;;) {
    try {
      const applied = await client
        .resource(customResourceDefinitions)
        .apply(definition, { fieldManager, force: true, signal });
      await established(applied, name, options);
      log.info('CustomResourceDefinition is installed and served', { object: `CustomResourceDefinition ${name}` });
      return;
    } catch (error) {
      signal.throwIfAborted();
      log.error('CustomResourceDefinition cannot be installed; retrying', {
        object: `CustomResourceDefinition ${name}`,
        error,
      });
      await clock.sleep(tryAgain, signal);
    }
  }
}

async function established(
  applied: CustomResourceDefinition,
  name: string,
  { client, clock, signal }: InstallCrdOptions,
): Promise<void> {
  for (let current = applied; ; current = await client.resource(customResourceDefinitions).get({ name }, { signal })) {
    const conditions = current.status?.conditions ?? [];
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    if (refused)
      throw new Error(
        `CustomResourceDefinition ${name} cannot be used, because another CustomResourceDefinition already has one of its names: ${refused.message ?? refused.reason ?? ''}`,
      );
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return;
    await clock.sleep(pollInterval, signal);
  }
}
