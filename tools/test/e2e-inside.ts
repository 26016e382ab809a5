// SPDX-License-Identifier: Apache-2.0
import { Socket } from 'node:net';
import { runTests } from './run-tests.ts';

// Without the process that runs the cluster there is no cluster, and nobody waits for what the tests say.
const leash = new Socket({ fd: 3 });
leash.on('close', () => process.exit(1)).resume();
leash.unref();

/** What tools/test/e2e.ts runs in the network of a cluster, whose name is in ETCD_OPERATOR_E2E_CLUSTER: projects by commas, then arguments. */
const [projects = '', ...args] = process.argv.slice(2);
await runTests({ projects: projects.split(','), args });
leash.removeAllListeners('close').destroy();
