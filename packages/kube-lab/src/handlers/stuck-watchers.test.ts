// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as send } from 'node:https';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Client, configMaps, createClient } from '@operator-parts/kube';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createApiServer } from '../server/api-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedMegabytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 2 ** 20);
}

interface Event {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly resourceVersion: string };
    readonly data: { readonly round: string };
  };
}

const listening = async () => {
  const server = createApiServer();
  onTestFinished(() => server.close());
  const { url, kubeconfig } = await server.listen();
  const { clusters, users } = parse(kubeconfig);
  const pem = (text: string) => Buffer.from(text, 'base64').toString('utf8');
  const { user } = users[0];
  const credentials = {
    ca: pem(clusters[0].cluster['certificate-authority-data']),
    cert: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
  };
  /** A watch that is not read. */
  const watch = async (query: string): Promise<IncomingMessage> => {
    const request = send(`${url}/api/v1/namespaces/default/configmaps?watch=true&${query}`, credentials);
    onTestFinished(() => void request.destroy());
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // Is truncated when the server closes.
    response.on('error', () => undefined);
    return response;
  };
  return { client: createClient(server.transport()), watch };
};

async function change(client: Client, rounds: number): Promise<void> {
  const metadata = { namespace: 'default', name: 'a' };
  const rest = 'x'.repeat(200_000);
  for (let round = 1; round <= rounds; round++) {
    const data = { round: String(round), rest };
    await client.resource(configMaps).apply({ metadata, data }, { fieldManager: 'test', force: true });
  }
}

/** Every complete event until the server ends the stream, or the last round is over. */
async function eventsOf(response: IncomingMessage, lastRound: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  let rest = '';
  for await (const piece of response.setEncoding('utf8')) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    events.push(...lines.map((line) => JSON.parse(line) as Event));
    if (events.at(-1)?.object.data.round === lastRound) break;
  }
  return events;
}

test('fifty watchers that do not read cost little: each is cut off when it is too far behind', async () => {
  const { client, watch } = await listening();
  await change(client, 1);
  const before = usedMegabytes();
  const stuck: IncomingMessage[] = [];
  for (let count = 0; count < 50; count++) stuck.push(await watch('resourceVersion=0'));
  await change(client, 1000);
  // The history of a thousand versions is shared; if each of fifty watchers kept all waiting events, they would take
  // 2.8 GB.
  expect(usedMegabytes() - before).toBeLessThan(300);
  expect(stuck).toHaveLength(50);
});

test('a watcher that was cut off has seen whole events, and resumes after the last of them', async () => {
  const { client, watch } = await listening();
  const stuck = await watch('resourceVersion=1');
  await change(client, 300);
  const seen = await eventsOf(stuck, '300');
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.length).toBeLessThan(300);
  const last = seen.at(-1)?.object.metadata.resourceVersion ?? '';
  // Longer than a watcher may fall behind: the initial events of a version are sent completely.
  const missed = await eventsOf(await watch(`resourceVersion=${last}`), '300');
  const rounds = [...seen, ...missed].map(({ object }) => Number(object.data.round));
  expect(rounds).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
});
