// SPDX-License-Identifier: Apache-2.0

/**
 * GitHub's anchors of headings, so that links work there and here. Unique per page: the second one with a name gets a
 * number.
 */
export function slugger(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}
