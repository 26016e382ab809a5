// SPDX-License-Identifier: Apache-2.0
/** Common folders that are not the name of an area. */
const passages = new Set(['packages', 'apps', 'tools', 'example', 'test', 'src']);

/**
 * The areas of a test file: its folders and its own name, such as `operator`, `backup`, `kill-sweep`. Lab tests run in the long tier as
 * projects of their own, on a real control plane or with another etcd: each project is one area.
 */
export function areasOf(file: string, project: string): readonly string[] {
  if (file.endsWith('.lab.test.ts')) return [project];
  const parts = file.replace(/\.long\.test\.ts$/, '').split('/');
  return parts.filter((part) => !passages.has(part));
}

/**
 * Selects the files of any of these areas, `random` also for `random-runs`, and `tools/release` by its path; all if
 * none is given.
 */
export function inAreas(areas: readonly string[]): (file: string, project: string) => boolean {
  const isAsked = (area: string) => areas.some((asked) => area === asked || area.startsWith(`${asked}-`));
  const isPathOf = (file: string) =>
    areas.some((asked) => asked.includes('/') && `${file}/`.startsWith(`${asked.replace(/\/$/, '')}/`));
  return (file, project) => areas.length === 0 || areasOf(file, project).some(isAsked) || isPathOf(file);
}
