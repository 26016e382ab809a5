// SPDX-License-Identifier: Apache-2.0
import type { Reporter, TestModule } from 'vitest/node';

interface Row {
  readonly subject: string;
  readonly sentence: string;
  readonly states: Map<string, string>;
}

const marks: Readonly<Record<string, string>> = { passed: '✓', failed: '×', skipped: '-', pending: '-' };

/** Prints every case once, with a column for each server it ran against, and counts those that differ. */
export class ColumnsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = new Map<string, Row>();
    for (const module of modules) if (module.relativeModuleId.startsWith('test/conformance/')) collect(module, rows);
    const ran = [...rows.values()].filter(({ states }) => [...states.values()].some((state) => state !== 'skipped'));
    if (ran.length > 0) process.stdout.write(`\n${table(ran)}\n`);
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

function table(rows: readonly Row[]): string {
  const servers = [...new Set(rows.flatMap(({ states }) => [...states.keys()]))];
  const cells = (texts: readonly string[]) => texts.map((text, i) => text.padEnd(servers[i]?.length ?? 0)).join('  ');
  const lines: string[] = [];
  let subject = '';
  for (const row of rows) {
    if (row.subject !== subject) lines.push('', `${cells(servers)}  ${row.subject}`);
    subject = row.subject;
    lines.push(`${cells(servers.map((server) => marks[row.states.get(server) ?? ''] ?? ' '))}  ${row.sentence}`);
  }
  const failed = servers.map((server) => {
    const ran = rows.filter(({ states }) => states.has(server));
    const bad = ran.filter(({ states }) => states.get(server) !== 'passed').length;
    return `${bad} of ${ran.length} fail on ${server}`;
  });
  return [...lines, '', `${rows.length} cases: ${failed.join(', ')}`].join('\n');
}
