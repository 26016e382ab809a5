// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '../kube-error.ts';

/** What a request gives; undefined if there is no such object. */
export async function ignoreNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
