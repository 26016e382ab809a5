// SPDX-License-Identifier: Apache-2.0
import { createManager, type HttpOptions, WebhookServer } from '@operator-parts/controller-runtime';
import { type Client, configMaps, mutatingWebhookConfigurations, namespaces } from '@operator-parts/kube';
import { type Clock, type Logger, systemClock } from '@operator-parts/ports';
import { addCertificateKeeper, ownName } from './certificate-keeper.ts';
import { failurePolicyAt } from './failure-policy.ts';
import { podWebhook } from './pod-webhook.ts';
import { configName } from './sidecar.ts';

export interface SidecarInjectorOptions {
  readonly client: Client;
  readonly log: Logger;
  /** The namespace of the ConfigMap, the Secret and the lease. */
  readonly namespace: string;
  /** @default systemClock */
  readonly clock?: Clock;
  /** The listening address. @default port 9443 of every address */
  readonly listen?: { readonly host?: string; readonly port: number };
  /** The address of `/healthz`, `/readyz` and `/metrics`. @default none */
  readonly http?: HttpOptions;
  /** The lifetime of a certificate, in milliseconds. @default 30 days */
  readonly certificateLifetime?: number;
  /**
   * The delay from publishing a new CA to its first use, and between two checks of the certificate, in milliseconds.
   * @default 10 s
   */
  readonly settlingTime?: number;
}

const day = 86_400_000;
/** The paths of the webhooks in deploy/webhook.yaml: one each, which identifies their failure policy. */
const paths = ['/inject/annotated', '/inject/namespace'] as const;

/** Runs all parts until `signal` is aborted. Every replica answers; one of them maintains the certificate. */
export async function runSidecarInjector(options: SidecarInjectorOptions, signal: AbortSignal): Promise<void> {
  const { client, log, namespace, clock = systemClock, settlingTime = 10_000 } = options;
  const leaderElection = { leaseName: ownName, leaseNamespace: namespace };
  const manager = createManager({ client, log, clock, leaderElection, ...(options.http && { http: options.http }) });
  const lifetime = options.certificateLifetime ?? 30 * day;
  const certificate = addCertificateKeeper(manager, { namespace, lifetime, settlingTime });
  const server = new WebhookServer({
    ...(options.listen ?? {}),
    certificate,
    clock,
    log,
    metrics: manager.metrics,
    reloadPeriod: settlingTime,
    // An answer takes a millisecond without waiting, so many concurrent Pods are no reason to refuse some.
    maxConcurrent: 1000,
  });
  const caches = {
    configMaps: manager.informer(configMaps, { namespace, fieldSelector: `metadata.name=${configName}` }),
    namespaces: manager.informer(namespaces),
    configurations: manager.informer(mutatingWebhookConfigurations, { fieldSelector: `metadata.name=${ownName}` }),
  };
  for (const path of paths) {
    const answer = podWebhook({
      namespace,
      configMaps: caches.configMaps.lister,
      namespaces: caches.namespaces.lister,
      failurePolicy: () => failurePolicyAt(path, caches.configurations.lister.get({ name: ownName })),
    });
    server.mutate(path, answer);
  }
  manager.add({
    name: server.name,
    needsLeader: false,
    async run(stop) {
      // With an empty cache the answer would be wrong.
      await Promise.all(Object.values(caches).map((cache) => cache.whenSynced(stop)));
      await server.run(stop);
    },
  });
  manager.addReadyCheck('webhook', server.ready);
  await manager.run(signal);
}
