// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { readCommandLine } from '../command-line.ts';
import { repositoryRoot } from '../repository-root.ts';
import { type AuditReport, type Exception, judgeAudit } from './judge-audit.ts';

/** `npm run audit`: known vulnerabilities of shipped packages. */
const usage = {
  command: 'npm run audit',
  help: `npm run audit

Asks the registry for known vulnerabilities of the packages that are shipped. Ends with 1 if there is one without an exception, with 3
if the registry does not answer the question. Exceptions, each with a reason and a last day, are in tools/supply-chain/main.ts.
`,
};
const exceptions: readonly Exception[] = [];

readCommandLine(usage, {});
const report = await new Promise<string>((resolve) => {
  // npm exits with 1 if there are vulnerabilities; only its output counts.
  execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: repositoryRoot, maxBuffer: 64 << 20 }, (_, stdout) => {
    resolve(stdout);
  });
});
const parsed = JSON.parse(report || '{}') as Partial<AuditReport> & { readonly message?: string };
if (parsed.vulnerabilities === undefined) {
  process.stderr.write(`the registry did not say which vulnerabilities are known: ${parsed.message ?? 'no answer'}\n`);
  process.exitCode = 3;
} else {
  const today = new Date().toISOString().slice(0, 10);
  const lines = judgeAudit({ vulnerabilities: parsed.vulnerabilities }, exceptions, today);
  process.stdout.write(lines.length === 0 ? 'no known vulnerability in what is shipped\n' : `${lines.join('\n')}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}
