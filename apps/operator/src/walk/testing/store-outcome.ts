// SPDX-License-Identifier: Apache-2.0
import type { StoreOptions } from '@operator-parts/blob';
import type { SpecEncryption, StorageSources } from '../../api/storage-source.ts';
import { specKeys } from '../../storage/encryption/secret-keys.ts';
import type { ReadSecret } from '../../storage/secret-reader.ts';
import { type StoragePlace, storagePlace } from '../../storage/storage-place.ts';
import { storeOptions } from '../../storage/store-options.ts';

/** The data of a Secret with every entry that any code reads. Most values contain the name of the Secret. */
function everything(name: string): Readonly<Record<string, string>> {
  return {
    ...{ username: name, password: name, 'ca.crt': name, 'tls.crt': name, 'tls.key': name },
    credentials: `[default]\naws_access_key_id = ${name}\naws_secret_access_key = ${name}\n`,
    ...{ 'storage-account': 'walkaccount', 'storage-key': Buffer.from(name).toString('base64') },
    ...{ 'access-token': name, accessKeyID: name, accessKeySecret: name, key: Buffer.alloc(32, 7).toString('base64') },
  };
}

/** A reader that finds every Secret and records its name. */
export function everySecret(): { readonly readSecret: ReadSecret; readonly names: string[] } {
  const names: string[] = [];
  const readSecret: ReadSecret = (name) => {
    names.push(name);
    return Promise.resolve(everything(name));
  };
  return { readSecret, names };
}

/** The options with which the store of a spec would be opened. */
export async function storeFor(
  type: string,
  sources: StorageSources,
  encryption: SpecEncryption | undefined,
  readSecret: ReadSecret,
): Promise<{ readonly place: StoragePlace; readonly options: StoreOptions }> {
  const namespace = 'default';
  const settings = { ambient: 'all', directory: '/walk' } as const;
  await specKeys(encryption, readSecret);
  const place = storagePlace(type, sources, namespace);
  return { place, options: await storeOptions(place, { type, sources, namespace, readSecret }, settings) };
}
