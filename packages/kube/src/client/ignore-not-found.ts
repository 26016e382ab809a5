// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '../kube-error.ts';

/** The result of a request; undefined if the object does not exist. */
export async function ignoreNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
