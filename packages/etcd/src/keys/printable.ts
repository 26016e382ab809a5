// SPDX-License-Identifier: Apache-2.0

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Control and format characters, separators except the blank, and unassigned code points: terminals may interpret them.
 */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** The bytes as text, or undefined if they are not valid text or would be displayed differently. */
export function textOf(bytes: Uint8Array): string | undefined {
  const text = decoded(bytes);
  return text === undefined || unprintable.test(text) ? undefined : text;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Bytes on one line, so that different bytes always look different: text unchanged, everything else in double quotes
 * with `\xNN` for bytes that are not printable ASCII.
 */
export function printable(bytes: Uint8Array): string {
  const text = textOf(bytes);
  if (text !== undefined && !text.startsWith('"') && text === text.trim() && text !== '') return text;
  const letters = Array.from(bytes, (byte) => {
    const letter = String.fromCharCode(byte);
    if (letter === '"' || letter === '\\') return `\\${letter}`;
    return byte >= 0x20 && byte < 0x7f ? letter : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${letters.join('')}"`;
}
