// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@etcd-operator/kube';

/** What a request gives; undefined if there is no such object. */
export async function orAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
