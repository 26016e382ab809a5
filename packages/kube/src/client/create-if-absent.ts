// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '../kube-error.ts';

/**
 * Waits for the creation of an object. Resolves with false if the object exists already, created by another client or
 * by this process before a crash.
 */
export async function createIfAbsent(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
    return false;
  }
}
