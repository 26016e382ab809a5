// SPDX-License-Identifier: Apache-2.0

/** An image with a tag, a digest or both. Without a tag or a digest, the registry would decide which image runs. */
export const imagePattern =
  '^[A-Za-z0-9][A-Za-z0-9._-]*(:[0-9]{1,5})?(/[A-Za-z0-9][A-Za-z0-9._-]*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}|(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?@sha256:[0-9a-f]{64})$';

const withTagOrDigest = new RegExp(imagePattern);

export function isPinnedImage(image: string): boolean {
  return image.length <= 512 && withTagOrDigest.test(image);
}

/** An image without its tag and its digest. */
export function repositoryOf(image: string): string {
  const [named = ''] = image.split('@', 1);
  const last = named.slice(named.lastIndexOf('/') + 1);
  return last.includes(':') ? named.slice(0, named.length - last.length + last.indexOf(':')) : named;
}
