// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobStore, type BodySummary, isBlobError, type PutOptions } from '@operator-parts/blob';

/**
 * Stores a body. Resolves only if the stored bytes are certainly those that were sent: the store's own checksum or reading the bytes back
 * shows this. If the answer to the last request was lost, the bytes are read back. Resolves with the ETag if the store returned one.
 */
export async function putVerified(
  store: BlobStore,
  key: string,
  body: AsyncIterable<Uint8Array>,
  options: PutOptions & { readonly signal: AbortSignal },
): Promise<string | undefined> {
  let sent: BodySummary | undefined;
  try {
    const { proof, etag } = await store.put(key, body, {
      ...options,
      verify: async (summary) => {
        await options.verify?.(summary);
        sent = summary;
      },
    });
    if (proof !== 'none') return etag;
  } catch (error) {
    if (!sent || !isBlobError(error) || !error.outcomeUnknown || options.signal.aborted) throw error;
    if ((await store.settle(key, sent, { signal: options.signal, isNew: true })) === 'stored') return undefined;
    throw error;
  }
  const found = sent && (await store.settle(key, sent, options));
  if (found === 'stored') return undefined;
  throw new BlobError(
    'ChecksumMismatch',
    `the object ${key} in the backup store is missing or differs from the data that was sent`,
  );
}
