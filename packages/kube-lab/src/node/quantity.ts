// SPDX-License-Identifier: Apache-2.0

const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A resource quantity as a number; good enough for placing and sizing in a lab. What is no quantity is 0. */
export function parseQuantity(text: string | number): number {
  const match = /^([+-]?[0-9.]+)([eE][+-]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$/.exec(String(text));
  if (!match) return 0;
  const [, digits = '0', suffix = ''] = match;
  const factor = /^[eE]/.test(suffix) && suffix.length > 1 ? Number(`1${suffix}`) : suffixes[suffix];
  return Number(digits) * (factor ?? 1);
}
