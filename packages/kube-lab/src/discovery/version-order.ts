// SPDX-License-Identifier: Apache-2.0

const pattern = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const stability: Readonly<Record<string, number>> = { alpha: 0, beta: 1, stable: 2 };

/** Orders versions as Kubernetes prefers them: v2, v1, v1beta2, v1beta1, v1alpha1, then all others by name. */
export function compareVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  if (!left || !right) {
    if (left || right) return left ? -1 : 1;
    return a < b ? -1 : Number(a > b);
  }
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}

function rank(version: string): readonly number[] | undefined {
  const match = pattern.exec(version);
  if (!match) return undefined;
  const [, major, stage = 'stable', minor = '0'] = match;
  return [stability[stage] ?? 0, Number(major), Number(minor)];
}
