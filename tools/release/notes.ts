// SPDX-License-Identifier: Apache-2.0

/** The part of the changelog that is about a version; while it is not released, the part "Unreleased" if that is allowed. */
export function releaseNotes(
  changelog: string,
  version: string,
  { allowUnreleased }: { readonly allowUnreleased: boolean },
): string {
  const parts = changelog.split(/^## /m).slice(1);
  const find = (heading: RegExp) => parts.find((part) => heading.test(part));
  const own = find(new RegExp(`^v?${version.replaceAll('.', '\\.')}(?![\\w.-])`));
  const found = own ?? (allowUnreleased ? find(/^Unreleased\b/) : undefined);
  if (found === undefined)
    throw new Error(
      `CHANGELOG.md has no part "## ${version}": give "Unreleased" that heading, then run the command again`,
    );
  return `# etcd-operator ${version}\n\n${found.slice(found.indexOf('\n') + 1).trim()}\n`;
}
