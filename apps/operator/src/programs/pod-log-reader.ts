// SPDX-License-Identifier: Apache-2.0
import { KubeError, pods, resourcePath, type Transport } from '@etcd-operator/kube';

/** More than any version text; what comes after is not read. */
const longest = 16_384;

/** Reads the beginning of what a pod's container has printed. */
export function podLogReader(
  transport: Transport,
): (namespace: string, pod: string, signal: AbortSignal) => Promise<string> {
  return async (namespace, name, signal) => {
    const path = resourcePath(pods, { namespace, name, subresource: 'log' });
    const response = await transport.request({ method: 'GET', path: `${path}?limitBytes=${longest}`, signal });
    const text = await readText(response.body);
    if (response.status !== 200)
      throw new KubeError('Unknown', `the log of pod ${namespace}/${name} cannot be read: ${text}`, {
        httpStatus: response.status,
      });
    return text;
  };
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size >= longest) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}
