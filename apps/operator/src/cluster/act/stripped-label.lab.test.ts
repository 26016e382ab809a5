// SPDX-License-Identifier: Apache-2.0

import { selfSignedCertificate } from '@etcd-operator/tools';
import { change, MetricRegistry, WebhookServer } from '@operator-parts/controller-runtime';
import { events, mutatingWebhookConfigurations, type Pod } from '@operator-parts/kube';
import { silentLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';

let ground: OperatorLab;
const stop = new AbortController();
let ended: Promise<void> | undefined;

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 1 });
  await ground.create('plain', { size: 1 });
  await ground.settled('plain');
  await stripLabels();
});

afterAll(async () => {
  await ground?.[Symbol.asyncDispose]();
  stop.abort();
  await ended;
});

/** A policy webhook as companies use it: it removes a label from every pod that is updated. */
async function stripLabels(): Promise<void> {
  const certificate = await selfSignedCertificate('policy');
  const server = new WebhookServer({
    host: '127.0.0.1',
    port: 0,
    certificate: async () => certificate,
    log: silentLogger,
    metrics: new MetricRegistry(),
  });
  server.mutate<Pod>('/pods', ({ object }) => {
    const { team: _team, ...kept } = object?.metadata?.labels ?? {};
    return change({ ...object, metadata: { ...object?.metadata, labels: kept } });
  });
  ended = server.run(stop.signal);
  const address = await ground.until('webhook', async () => server.address);
  await ground.lab
    .client()
    .resource(mutatingWebhookConfigurations)
    .create({
      metadata: { name: 'policy' },
      webhooks: [
        {
          name: 'policy.example.com',
          clientConfig: {
            url: `https://127.0.0.1:${address.port}/pods`,
            caBundle: Buffer.from(certificate.cert).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods'] }],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    });
}

const waits = async () => (await ground.get('plain')).status?.plan?.waitingFor ?? [];

describe('a mutating webhook that takes off a label of the spec', () => {
  test('is not fought: the step backs off, and status and an event say so', async () => {
    const before = ground.requests.length;
    const patches = () => ground.requests.slice(before).filter((line) => /^PATCH .*\/pods\/plain-/.test(line)).length;
    await ground.change('plain', { pod: { labels: { team: 'db' } } });
    await systemClock.sleep(5_000);
    // Three times at once, then after 1 s and 2 s.
    expect(patches()).toBeLessThanOrEqual(6);
    await ground.until('the fourth attempt', async () => (patches() >= 4 ? true : undefined));
    const wait = await ground.until('reported', async () => (await waits())[0]);
    expect(wait).toMatch(
      /^Updating labels of pod\/plain-\w+ to the spec\. The operator tried this step several times, but nothing changed/,
    );
    const told = await ground.until('event', async () => {
      const { items } = await ground.lab.client().resource(events).list({ namespace: 'default' });
      const ours = items.filter(({ reason }) => reason === 'StepWithoutEffect');
      return ours.length > 0 ? ours : undefined;
    });
    expect(told.map(({ message, type }) => ({ message, type }))).toEqual([{ message: wait, type: 'Warning' }]);
  });

  test('the report goes away with the webhook', async () => {
    await ground.lab.client().resource(mutatingWebhookConfigurations).delete({ name: 'policy' });
    await ground.settled('plain');
    expect(await waits()).toEqual([]);
    const [pod] = await ground.pods('plain');
    expect(pod?.metadata?.labels?.['team']).toBe('db');
  });
});
