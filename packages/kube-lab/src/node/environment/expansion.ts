// SPDX-License-Identifier: Apache-2.0

/**
 * Expands `$(NAME)` in commands, arguments and environment values. An unknown name is left unchanged, `$$` is an
 * escaped `$`, and inserted values are not expanded again.
 */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  let result = '';
  let position = 0;
  for (let dollar = text.indexOf('$'); dollar >= 0; dollar = text.indexOf('$', position)) {
    result += text.slice(position, dollar);
    const token = readToken(text, dollar, lookup);
    result += token.text;
    position = token.end;
  }
  return result + text.slice(position);
}

function readToken(
  text: string,
  dollar: number,
  lookup: (name: string) => string | undefined,
): { readonly text: string; readonly end: number } {
  const next = text[dollar + 1];
  if (next === '$') return { text: '$', end: dollar + 2 };
  if (next !== '(') return { text: `$${next ?? ''}`, end: dollar + (next === undefined ? 1 : 2) };
  const close = text.indexOf(')', dollar + 2);
  if (close < 0) return { text: '$(', end: dollar + 2 };
  const name = text.slice(dollar + 2, close);
  return { text: lookup(name) ?? `$(${name})`, end: close + 1 };
}
