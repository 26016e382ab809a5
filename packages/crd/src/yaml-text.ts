// SPDX-License-Identifier: Apache-2.0

/**
 * A JSON value as a YAML document in block style. The same value always gives the same text: keys keep their order,
 * undefined ones are left out, and strings are plain only if no YAML parser reads them as another type.
 */
export function yamlText(value: unknown): string {
  return `${block(value, 0).replace(/^\n/, '')}\n`;
}

/** The text after a key or a dash: a scalar after a space, or a collection on the next lines. */
function block(value: unknown, depth: number): string {
  if (Array.isArray(value)) return value.length === 0 ? ' []' : listBlock(value, depth);
  if (typeof value === 'object' && value !== null) return mapBlock(value, depth);
  if (typeof value === 'string') return isLiteral(value) ? literalBlock(value, depth) : ` ${stringText(value)}`;
  return ` ${JSON.stringify(value)}`;
}

function mapBlock(value: object, depth: number): string {
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  if (entries.length === 0) return ' {}';
  const line = ([key, entry]: [string, unknown]) => `${indent(depth)}${stringText(key)}:${block(entry, depth + 1)}`;
  return `\n${entries.map(line).join('\n')}`;
}

/**
 * Items have the indentation of their key, and the first field of an object is on the line of its dash, as in
 * Kubernetes' files.
 */
function listBlock(items: readonly unknown[], depth: number): string {
  const above = Math.max(depth - 1, 0);
  const line = (item: unknown) => {
    const text = block(item, above + (Array.isArray(item) ? 2 : 1));
    const isNested = text.startsWith('\n');
    return `${indent(above)}-${isNested ? ` ${text.trimStart()}` : text}`;
  };
  return `\n${items.map(line).join('\n')}`;
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}

/** Text with several lines and without escapes is written as a block. */
function isLiteral(text: string): boolean {
  return /^[!-~][ -~\n]*[!-~]$/.test(text) && text.includes('\n') && !/ \n/.test(text);
}

function literalBlock(text: string, depth: number): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : indent(depth) + line));
  return ` |-\n${lines.join('\n')}`;
}

/** Words that some version of YAML does not read as a string. */
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

function stringText(text: string): string {
  const isPlain = /^[A-Za-z_$./][\w$./ ()'%,;-]*$/.test(text) && !text.endsWith(' ');
  const isOther = reserved.test(text) || /^(\.(inf|nan)|[\d.e_-]*)$/i.test(text);
  return isPlain && !isOther ? text : JSON.stringify(text);
}
