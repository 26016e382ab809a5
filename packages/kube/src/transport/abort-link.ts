// SPDX-License-Identifier: Apache-2.0

/** Aborts `target` when `source` is, until released. Cheaper than `AbortSignal.any`, and leaves no listener. */
export function linkAbort(source: AbortSignal | undefined, target: AbortController): () => void {
  if (!source) return () => undefined;
  if (source.aborted) {
    target.abort(source.reason);
    return () => undefined;
  }
  const forward = () => target.abort(source.reason);
  source.addEventListener('abort', forward, { once: true });
  return () => source.removeEventListener('abort', forward);
}
