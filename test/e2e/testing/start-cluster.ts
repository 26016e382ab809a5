// SPDX-License-Identifier: Apache-2.0
import { layoutOf, startCluster, stopCluster } from '@etcd-operator/tools/cluster';

/**
 * A program that starts a cluster with the given name, prints a message, and waits; Ctrl-C or the end of its input
 * stops it.
 */
const [name = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('interrupted')));
// It ends with the test that started it.
process.stdin.on('close', () => stop.abort(new Error('the test is gone'))).resume();

try {
  const report = (line: string) => process.stdout.write(`${line}\n`);
  await startCluster({ name, lifetime: 'this-process', report, signal: stop.signal });
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
  await stopCluster(layoutOf(name));
  process.exit();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
