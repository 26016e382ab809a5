// SPDX-License-Identifier: Apache-2.0

const removed = '(removed)';

/** Names of environment variables that configure etcd, etcdctl or the Go runtime. Some have secrets as values: see `secretName`. */
const harmlessName = /^(ETCD|ETCDCTL|GO)_?[A-Z_]*$/;
/** Names of variables whose values may be secrets. They count even if `harmlessName` matches too, as for `ETCDCTL_PASSWORD`. */
const secretName = /PASS|SECRET|TOKEN|KEY|USER|CREDENTIAL|AUTH/i;

/** Patterns of secrets in any text. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/(:\/\/)[^\s/@]{1,512}@/g, `$1${removed}@`],
  [/\b(Bearer|Basic) [\w.~+/-]{8,}=*/g, `$1 ${removed}`],
  [/\beyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]{0,4096}/g, removed],
  [
    /((?:password|passwd|secret|token|access.?key|--user)["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"',;}]{1,4096}/gi,
    `$1${removed}`,
  ],
];

/**
 * A copy without secrets: without literal values of environment variables, bookkeeping of kubectl and the API server,
 * texts that look like passwords, tokens or private keys, and all occurrences of the given values, also in base64.
 */
export function redact(value: unknown, secrets: readonly string[]): unknown {
  const known = secrets.filter((one) => one.length >= 4).flatMap((one) => [one, Buffer.from(one).toString('base64')]);
  // The longest first: one may contain another.
  return copy(
    value,
    [...new Set(known)].sort((a, b) => b.length - a.length),
  );
}

function copy(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return cleaned(value, secrets);
  if (Array.isArray(value)) return value.map((item) => copy(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const isVariable = 'name' in value && 'value' in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'managedFields' && key !== 'kubectl.kubernetes.io/last-applied-configuration')
      .map(([key, field]) => [
        key,
        isVariable && key === 'value' && !isHarmless(value.name) ? removed : copy(field, secrets),
      ]),
  );
}

function isHarmless(name: unknown): boolean {
  return typeof name === 'string' && harmlessName.test(name) && !secretName.test(name);
}

function cleaned(text: string, secrets: readonly string[]): string {
  const withoutKnown = secrets.reduce((left, secret) => left.replaceAll(secret, removed), withoutKeys(text));
  return patterns.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), withoutKnown);
}

const begin = '-----BEGIN ';
const end = '-----END ';

/** Without private keys in PEM, even if their end is missing. */
function withoutKeys(text: string): string {
  return text
    .split(begin)
    .map((part, index) => {
      if (index === 0) return part;
      if (!/^[A-Z ]{0,40}PRIVATE KEY-----/.test(part)) return `${begin}${part}`;
      const last = part.indexOf(end);
      return `${removed}${last < 0 ? '' : part.slice(last + end.length)}`;
    })
    .join('');
}
