// SPDX-License-Identifier: Apache-2.0
import type { BlobStore, PutOptions, PutResult } from '@etcd-operator/blob';
import { type MemberClient, verifySnapshot } from '@etcd-operator/etcd';

/**
 * Streams a member's snapshot into a store. It becomes visible under its key only if the hash at its end is right
 * (operator-rules 20); what comes out is the SHA-256 of all that was stored, from the one time that it was hashed.
 */
export function putSnapshot(
  store: BlobStore,
  key: string,
  { maintenance }: MemberClient,
  options: Omit<PutOptions, 'sha256' | 'verify'>,
): Promise<PutResult> {
  const { signal } = options;
  const snapshot = maintenance.snapshot({ reuse: true, ...(signal && { signal }) });
  let sha256 = '';
  const verified = verifySnapshot(snapshot, ({ wholeSha256 }) => {
    sha256 = wholeSha256;
  });
  return store.put(key, verified, { ...options, sha256: () => sha256 });
}
