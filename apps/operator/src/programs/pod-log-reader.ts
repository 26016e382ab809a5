// SPDX-License-Identifier: Apache-2.0
import { podLogs, type Transport } from '@operator-parts/kube';

/** Longer than any version text; the rest of the log is not read. */
const limitBytes = 16_384;

/** Reads the beginning of the log of a pod. */
export function podLogReader(
  transport: Transport,
): (namespace: string, pod: string, signal: AbortSignal) => Promise<string> {
  return async (namespace, name, signal) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of podLogs(transport, { namespace, name }, { limitBytes, signal })) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  };
}
