// SPDX-License-Identifier: Apache-2.0
import type { Reporter, TestModule } from 'vitest/node';

interface Row {
  readonly subject: string;
  readonly sentence: string;
  readonly states: Map<string, string>;
}

const marks: Readonly<Record<string, string>> = { passed: '✓', failed: '×', skipped: '-', pending: '-' };

/** Prints every case once, with a column for each server it ran against, and counts those that fail. */
export class ColumnsReporter implements Reporter {
  readonly #onlyCount: boolean;

  constructor({ onlyCount }: { readonly onlyCount: boolean }) {
    this.#onlyCount = onlyCount;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = new Map<string, Row>();
    for (const module of modules) if (module.relativeModuleId.startsWith('test/conformance/')) collect(module, rows);
    const ran = [...rows.values()].filter(({ states }) => [...states.values()].some((state) => state !== 'skipped'));
    if (ran.length === 0) return;
    const servers = [...new Set(ran.flatMap(({ states }) => [...states.keys()]))];
    if (!this.#onlyCount) process.stdout.write(`${table(ran, servers)}\n`);
    process.stdout.write(`\n${sum(ran, servers)}\n`);
  }
}

/** A test is called `<server> > <subject> > <sentence>`. */
function collect(module: TestModule, rows: Map<string, Row>): void {
  for (const test of module.children.allTests()) {
    const [server = '', subject = '', ...sentence] = test.fullName.split(' > ');
    const key = [subject, ...sentence].join(' > ');
    const row = rows.get(key) ?? { subject, sentence: sentence.join(' > '), states: new Map() };
    rows.set(key, row);
    row.states.set(server, test.result().state);
  }
}

function table(rows: readonly Row[], servers: readonly string[]): string {
  const cells = (texts: readonly string[]) => texts.map((text, i) => text.padEnd(servers[i]?.length ?? 0)).join('  ');
  const lines: string[] = [];
  let subject = '';
  for (const row of rows) {
    if (row.subject !== subject) lines.push('', `${cells(servers)}  ${row.subject}`);
    subject = row.subject;
    lines.push(`${cells(servers.map((server) => marks[row.states.get(server) ?? ''] ?? ' '))}  ${row.sentence}`);
  }
  return lines.join('\n');
}

function sum(rows: readonly Row[], servers: readonly string[]): string {
  const failed = servers.map((server) => {
    const ran = rows.filter(({ states }) => states.has(server));
    const bad = ran.filter(({ states }) => states.get(server) !== 'passed').length;
    return `${bad} of ${ran.length} fail on ${server}`;
  });
  return `${rows.length} cases: ${failed.join(', ')}`;
}
