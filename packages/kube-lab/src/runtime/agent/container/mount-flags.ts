// SPDX-License-Identifier: Apache-2.0

/** Mount flags of the host that are locked inside a user namespace; a remount without one of them is refused. */
const kept = ['nosuid', 'nodev', 'noexec'] as const;

/**
 * The flags that a read-only bind of `path` must repeat, from the text of `/proc/self/mountinfo`. `path` must not
 * contain links. If the deepest mount point above the path has several mounts, the last one counts.
 */
export function lockedFlags(mountInfo: string, path: string): readonly string[] {
  let best = { length: -1, flags: [] as readonly string[] };
  for (const line of mountInfo.split('\n')) {
    const fields = line.split(' ');
    const point = unescapeMountPath(fields[4] ?? '');
    if (point === '' || !covers(point, path) || point.length < best.length) continue;
    best = { length: point.length, flags: (fields[5] ?? '').split(',') };
  }
  return kept.filter((flag) => best.flags.includes(flag));
}

function covers(point: string, path: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}

function unescapeMountPath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** A path as a field of an fstab line. */
export function escapeMountPath(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
