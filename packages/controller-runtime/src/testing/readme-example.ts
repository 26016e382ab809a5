// SPDX-License-Identifier: Apache-2.0
import { buildController, createManager, done, setControllerReference } from '@operator-parts/controller-runtime';
import { crdOf, defineKind, object, optional, string } from '@operator-parts/crd';
import {
  type Client,
  configMaps,
  connect,
  createClient,
  customResourceDefinitions,
  loadConfig,
} from '@operator-parts/kube';
import { createLogger, jsonLines, systemClock } from '@operator-parts/ports';

/** What users write: the name to greet. */
export const greetings = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  scope: 'Namespaced',
  description: 'A greeting, kept in a ConfigMap.',
  spec: object({ name: string() }),
  status: object({ text: optional(string()) }),
});

/** Keeps a ConfigMap for every Greeting, until `signal` is aborted. */
export async function runGreetings(client: Client, signal: AbortSignal): Promise<void> {
  const fieldManager = 'greetings';
  await client.resource(customResourceDefinitions).apply(crdOf(greetings), { fieldManager, signal });
  const log = createLogger({ clock: systemClock, write: jsonLines(process.stdout) });
  const manager = createManager({ client, log, leaderElection: { leaseName: 'greetings', leaseNamespace: 'default' } });
  const cachedGreetings = manager.informer(greetings.resource);
  const cachedMaps = manager.informer(configMaps);
  const events = manager.eventRecorder('greetings');
  buildController(manager, { name: 'greetings', concurrency: 4 })
    .forKind(greetings.resource)
    .owns(configMaps)
    .complete(async (request, context) => {
      const greeting = cachedGreetings.lister.get(request);
      if (!greeting) return done(); // Deleted, and so are the objects it owns.
      const text = `Hello, ${greeting.spec.name}!`;
      const key = { ...request, name: `${request.name}-greeting` };
      if (cachedMaps.lister.get(key)?.data?.['text'] !== text) {
        const wanted = setControllerReference({ metadata: key, data: { text } }, greeting, greetings.resource);
        await context.client.resource(configMaps).apply(wanted, { fieldManager });
        events.record(greeting, 'Normal', 'Greeted', text);
      }
      if (greeting.status?.text !== text) {
        const status = context.client.resource(greetings.resource).status;
        await status.patch(request, { type: 'merge', patch: { status: { text } } });
      }
      return done();
    });
  await manager.run(signal);
}

if (import.meta.main) {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  await runGreetings(createClient(connect(await loadConfig({ env: process.env }))), stop.signal);
}
