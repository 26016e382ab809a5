// SPDX-License-Identifier: Apache-2.0

/** The settings of `/etc/resolv.conf`; the resolver reads the name servers itself. */
export interface SearchRules {
  readonly search: readonly string[];
  /** A name with this many dots is tried unchanged before the search domains. */
  readonly ndots: number;
}

const mostDots = 15;

export function parseSearchRules(text: string): SearchRules {
  let search: readonly string[] = [];
  let ndots = 1;
  for (const [keyword, ...values] of linesOf(text)) {
    // The last `search` or `domain` line counts.
    if (keyword === 'search' || keyword === 'domain') search = values.map((domain) => domain.replace(/\.$/, ''));
    for (const option of keyword === 'options' ? values : []) {
      const [name, value = ''] = option.split(':');
      if (name === 'ndots') ndots = Math.min(mostDots, Number.parseInt(value, 10) || 0);
    }
  }
  return { search: search.filter((domain) => domain !== ''), ndots };
}

/** The candidates for a name, in the order in which they are tried. */
export function namesToTry(host: string, { search, ndots }: SearchRules): readonly string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)];
  const searched = search.map((domain) => `${host}.${domain}`);
  return host.split('.').length - 1 >= ndots ? [host, ...searched] : [...searched, host];
}

/** The addresses of a name in `/etc/hosts`. */
export function addressesInHosts(text: string, host: string): readonly string[] {
  const name = host.replace(/\.$/, '').toLowerCase();
  return linesOf(text).flatMap(([address = '', ...names]) =>
    names.some((one) => one.toLowerCase() === name) ? [address] : [],
  );
}

function linesOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').map((line) => line.split(/[#;]/, 1)[0] ?? '');
  return lines.map((line) => line.split(/[ \t\r]/).filter((word) => word !== '')).filter((words) => words.length > 0);
}
