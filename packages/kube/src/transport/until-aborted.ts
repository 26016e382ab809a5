// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '../kube-error.ts';

/**
 * The result of `work`, or an error of code `Aborted` as soon as `signal` is aborted (its reason, if that is a
 * `KubeError`), even if `work` ignores the signal. `work` continues; its result is dropped.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let give: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    give = () => reject(abortion(signal.reason));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', give);
  }
}

function abortion(cause: unknown): KubeError {
  return cause instanceof KubeError ? cause : new KubeError('Aborted', 'the request was aborted', { cause });
}
