// SPDX-License-Identifier: Apache-2.0
/**
 * Creates the picture of the README: starts the playground in a real terminal, kills a member, and draws the screen as
 * docs/images/playground.svg. `node apps/playground/tools/picture.ts [FILE]`
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { playgroundCommand } from '../src/testing/playground-process.ts';
import type { Cell } from '../src/testing/screen-reader.ts';
import { openScript, sees } from '../src/testing/terminal.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const file = process.argv[2] ?? join(root, 'docs', 'images', 'playground.svg');
const size = { columns: 116, rows: 30 };

const colours: Readonly<Record<string, string>> = {
  '': '#d7dae0',
  '1': '#ffffff',
  '2': '#7f8794',
  '32': '#7ec699',
  '31': '#f08080',
  '33': '#e6c07b',
  '1;36': '#6cc7d9',
  '7': '#ffffff',
};
const [width, height, margin] = [8.4, 18, 14];

await using terminal = openScript({
  command: playgroundCommand(),
  env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '' },
  ...size,
});
await sees(terminal, /backups can be taken/);
await terminal.press('s');
await sees(terminal, /you: backed up/);
await terminal.press('k');
await sees(terminal, /Replacing Dead Member|learner/);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, picture(terminal.reader.cells));
await terminal.press('q');
await terminal.ended;
process.stdout.write(`${file}\n`);

function picture(cells: readonly (readonly Cell[])[]): string {
  const lines = cells.map((row, index) => line(row, margin + (index + 0.75) * height)).filter((text) => text !== '');
  const [wide, high] = [Math.round(size.columns * width + 2 * margin), size.rows * height + 2 * margin];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}" role="img">`,
    '<title>The playground: members, what the operator does and why, and what happened</title>',
    `<rect width="${wide}" height="${high}" rx="8" fill="#1b1f27"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ...lines,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/**
 * One text element per line, one span per style, each with a fixed position and width so that columns are aligned in
 * every font.
 */
function line(row: readonly Cell[], y: number): string {
  const spans: string[] = [];
  for (let start = 0; start < row.length; ) {
    const rendition = row[start]?.rendition ?? '';
    let end = start;
    while (end < row.length && (row[end]?.rendition ?? '') === rendition) end += 1;
    const text = row
      .slice(start, end)
      .map((cell) => cell.text)
      .join('');
    const kept = text.trimEnd();
    const lead = kept.length - kept.trimStart().length;
    if (kept.trim() !== '') spans.push(placed(kept.trimStart(), start + lead, rendition));
    start = end;
  }
  return spans.length === 0 ? '' : `<text y="${y}">${spans.join('')}</text>`;
}

function placed(text: string, column: number, rendition: string): string {
  const x = (margin + column * width).toFixed(1);
  const length = (text.length * width).toFixed(1);
  const weight = rendition.startsWith('1') ? ' font-weight="bold"' : '';
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<tspan x="${x}" textLength="${length}" fill="${colours[rendition] ?? colours['']}"${weight}>${escaped}</tspan>`;
}
