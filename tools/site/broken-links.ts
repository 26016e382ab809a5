// SPDX-License-Identifier: Apache-2.0
import type { Rendered } from './render.ts';

/** Every link to a missing file, page or heading, as `page: link`. */
export function brokenLinks(
  rendered: ReadonlyMap<
    { readonly source: string; readonly file: string },
    Pick<Rendered, 'anchors' | 'links' | 'missing'>
  >,
): readonly string[] {
  const anchors = new Map([...rendered].map(([{ file }, one]) => [file, one.anchors]));
  return [...rendered].flatMap(([{ source }, { links, missing }]) => [
    ...missing.map((href) => `${source}: ${href} is no file`),
    ...links
      .filter(({ file, anchor }) => anchor !== '' && anchors.get(file)?.has(anchor) !== true)
      .map(({ file, anchor }) => `${source}: ${file} has no heading #${anchor}`),
  ]);
}
