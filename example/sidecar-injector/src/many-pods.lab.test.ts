// SPDX-License-Identifier: Apache-2.0

import { freePort } from '@etcd-operator/tools';
import { mutatingWebhookConfigurations, pods } from '@operator-parts/kube';
import { startLab } from '@operator-parts/kube-lab';
import { expect, test } from 'vitest';
import { startInjectorProcess } from './testing/injector-process.ts';
import { apply, localConfiguration } from './testing/manifests.ts';
import { mark } from './wants-sidecar.ts';

const count = 200;

/** How many reviews took at most this many seconds, by the injector's own metric; the last bound is infinite. */
function latencies(metrics: string): readonly { readonly bound: number; readonly reviews: number }[] {
  const lines = metrics.matchAll(/webhook_latency_seconds_bucket\{.*inject\/annotated.*le="(.*)"\} (\d+)/g);
  return [...lines].map(([, bound = '', reviews]) => ({
    bound: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound),
    reviews: Number(reviews),
  }));
}

const percentile = (times: readonly number[], share: number) =>
  Math.round(times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0);

test('200 Pods created at once are all injected, 99 of 100 reviews within 50 ms', async () => {
  await using lab = await startLab({ nodes: 0 });
  const client = lab.client();
  const [port, httpPort] = [await freePort(), await freePort()];
  await apply(client, 'example/envoy-initializer.yaml');
  const configuration = localConfiguration(port, 'Fail');
  // A busy machine may need time for 200 TLS handshakes at once; the review is measured, not the connection.
  const webhooks = configuration.webhooks?.map((webhook) => ({ ...webhook, timeoutSeconds: 30 })) ?? [];
  await client.resource(mutatingWebhookConfigurations).create({ ...configuration, webhooks });
  await using injector = await startInjectorProcess({ kubeconfig: lab.kubeconfigPath, port, httpPort });

  const create = async (index: number) => {
    const metadata = { namespace: 'default', name: `pod-${index}`, annotations: { [mark]: 'true' } };
    const spec = { containers: [{ name: 'app', image: 'app' }] };
    const begun = performance.now();
    const made = await client.resource(pods).create({ metadata, spec });
    return { time: performance.now() - begun, containers: made.spec?.containers.length };
  };
  const before = injector.processorTime();
  const made = await Promise.all(Array.from({ length: count }, (_, index) => create(index)));
  const after = injector.processorTime();
  const [used, waited] = [after.used - before.used, after.waited - before.waited];
  expect(made.map(({ containers }) => containers)).toEqual(Array(count).fill(2));

  const buckets = latencies(await injector.metrics());
  expect(buckets.at(-1)?.reviews).toBe(count);
  // While other processes used the CPU no review could run, so this time is added to the limit; on a quiet machine it
  // is 0.
  const bar = (50 + waited) / 1000;
  const withinBar = buckets.find(({ bound }) => bound >= bar)?.reviews ?? 0;
  const times = made.map(({ time }) => time);
  const seen = `reviews by seconds: ${buckets.map(({ bound, reviews }) => `${reviews} within ${bound}`).join(', ')}
the injector used ${Math.round(used)} ms of a processor, and was kept waiting for ${Math.round(waited)} ms
creating a Pod took ${percentile(times, 0.5)} ms (median), ${percentile(times, 0.99)} ms (99 of 100), as the client sees it`;
  process.stdout.write(`${seen}\n`);
  expect(used / count).toBeLessThan(15);
  expect(withinBar).toBeGreaterThanOrEqual(count * 0.99);
});
