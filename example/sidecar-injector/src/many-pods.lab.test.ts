// SPDX-License-Identifier: Apache-2.0
import { mutatingWebhookConfigurations, pods } from '@etcd-operator/kube';
import { startLab } from '@etcd-operator/kube-lab';
import { expect, test } from 'vitest';
import { freePort } from './testing/free-port.ts';
import { startInjectorProcess } from './testing/injector-process.ts';
import { apply, localConfiguration } from './testing/manifests.ts';
import { mark } from './wants-sidecar.ts';

/** How many reviews took at most 50 ms, and how many there were, by the injector's own count. */
function latencies(metrics: string): { readonly quick: number; readonly all: number } {
  const bucket = (bound: string) => {
    const line = new RegExp(`webhook_latency_seconds_bucket\\{.*le="${bound.replace('+', '\\+')}"\\} (\\d+)`);
    return Number(line.exec(metrics)?.[1] ?? 0);
  };
  return { quick: bucket('0.05'), all: bucket('+Inf') };
}

test('200 Pods created at once are all injected, 99 of 100 reviews within 50 ms', async () => {
  await using lab = await startLab({ nodes: 0 });
  const client = lab.client();
  const [port, httpPort] = [await freePort(), await freePort()];
  await apply(client, 'example/envoy-initializer.yaml');
  const configuration = localConfiguration(port, 'Fail');
  // 200 TLS handshakes at once may take a busy machine a while; what is measured is the review, not the way to it.
  const webhooks = configuration.webhooks?.map((webhook) => ({ ...webhook, timeoutSeconds: 30 })) ?? [];
  await client.resource(mutatingWebhookConfigurations).create({ ...configuration, webhooks });
  await using injector = await startInjectorProcess({ kubeconfig: lab.kubeconfigPath, port, httpPort });

  const create = async (name: string) => {
    const metadata = { namespace: 'default', name, annotations: { [mark]: 'true' } };
    const spec = { containers: [{ name: 'app', image: 'app' }] };
    const made = await client.resource(pods).create({ metadata, spec });
    return made.spec?.containers.length;
  };
  const shares: number[] = [];
  // The machine may be busy with other things: one round of several must make it.
  for (let round = 0; round < 5 && !shares.some((share) => share >= 0.99); round++) {
    const before = latencies(await injector.metrics());
    const counts = await Promise.all(Array.from({ length: 200 }, (_, index) => create(`pod-${round}-${index}`)));
    expect(counts).toEqual(Array(200).fill(2));
    const after = latencies(await injector.metrics());
    expect(after.all - before.all).toBe(200);
    shares.push((after.quick - before.quick) / 200);
  }
  expect(Math.max(...shares)).toBeGreaterThanOrEqual(0.99);
});
