// SPDX-License-Identifier: Apache-2.0
import { Socket } from 'node:net';
import { runTests } from './run-tests.ts';

// When the process that runs the cluster ends, the cluster ends, and the result of the tests is not needed.
const leash = new Socket({ fd: 3 });
leash.on('close', () => process.exit(1)).resume();
leash.unref();

/**
 * The program that tools/test/e2e.ts runs in a cluster's network; ETCD_OPERATOR_E2E_CLUSTER contains the cluster's
 * name. Arguments: projects separated by commas, then those for vitest.
 */
const [projects = '', ...args] = process.argv.slice(2);
await runTests({ projects: projects.split(','), args });
leash.removeAllListeners('close').destroy();
