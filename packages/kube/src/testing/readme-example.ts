// SPDX-License-Identifier: Apache-2.0
import { configMaps, connect, createClient, isKubeError, loadConfig, withRetry } from '@etcd-operator/kube';

/** Counts the starts of a program in a ConfigMap, whoever else counts there at the same time. */
export async function countStart(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const config = await loadConfig({ env });
  const transport = withRetry(connect(config));
  try {
    const client = createClient(transport).resource(configMaps);
    const key = { namespace: config.namespace, name: 'starts' };
    for (;;) {
      try {
        const current = await client.get(key);
        const count = String(Number(current.data?.['count'] ?? 0) + 1);
        // Carries the resourceVersion that was read: if somebody was faster, the server says Conflict.
        await client.replace({ ...current, data: { ...current.data, count } });
        return count;
      } catch (error) {
        if (isKubeError(error, 'NotFound')) await client.apply({ metadata: key }, { fieldManager: 'example' });
        else if (!isKubeError(error, 'Conflict')) throw error;
      }
    }
  } finally {
    await transport.close();
  }
}
