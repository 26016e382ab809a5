// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@operator-parts/kube';

interface Items<T> {
  readonly items: readonly T[];
}

/** Users without permission for these objects, or whose API server does not serve them, still see the rest. */
export async function ifAllowed<T>(read: Promise<Items<T>>): Promise<Items<T>> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error, 'Forbidden', 'NotFound')) return { items: [] };
    throw error;
  }
}
