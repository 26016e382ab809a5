// SPDX-License-Identifier: Apache-2.0

/**
 * True if an output matches the printed one. Each printed line must occur, in order. Space may have any width, `<name>`
 * matches any one word, `...` any text, and a separate line `...` any lines.
 */
export function fits(answer: string, printed: readonly string[]): boolean {
  const lines = answer.split('\n');
  let at = 0;
  return printed
    .filter((line) => line.trim() !== '...')
    .every((line) => {
      const pattern = patternOf(line);
      const found = lines.findIndex((candidate, index) => index >= at && pattern.test(candidate.trim()));
      at = found + 1;
      return found >= 0;
    });
}

function patternOf(line: string): RegExp {
  const words = line.trim().split(/\s+/).map(wordPattern);
  return new RegExp(`^${words.join('\\s+')}$`);
}

function wordPattern(word: string): string {
  return word
    .split(/(<[^>]+>|\.\.\.)/)
    .map((part) => {
      if (part === '...') return '.*';
      return /^<[^>]+>$/.test(part) ? '\\S+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
}
