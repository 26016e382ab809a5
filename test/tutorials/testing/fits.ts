// SPDX-License-Identifier: Apache-2.0

/**
 * Does an answer say what is printed? Each printed line must be there, in order. Space may be of any width, `<name>` stands for
 * any one word, `...` for any text, and a line of its own `...` for any lines.
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
