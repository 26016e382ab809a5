// SPDX-License-Identifier: Apache-2.0
import { configMaps, connect, createClient, isKubeError, loadConfig, type ObjectKey } from '@operator-parts/kube';

/** Counts the starts of a program in a ConfigMap, also if other programs count there at the same time. */
export async function countStart(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const config = await loadConfig({ env });
  const transport = connect(config);
  const client = createClient(transport, { retry: {} }).resource(configMaps);
  const key = { namespace: config.namespace, name: 'starts' };

  try {
    let count: string | undefined;
    while (count === undefined) count = await increment(key);
    return count;
  } finally {
    await transport.close();
  }

  async function increment(at: ObjectKey): Promise<string | undefined> {
    try {
      const current = await client.get(at);
      const next = String(Number(current.data?.['count'] ?? 0) + 1);
      // Contains the resourceVersion that was read: if another client wrote first, the server answers Conflict.
      await client.replace({ ...current, data: { ...current.data, count: next } });
      return next;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) await client.apply({ metadata: at }, { fieldManager: 'example' });
      else if (!isKubeError(error, 'Conflict')) throw error;
      return undefined;
    }
  }
}
