// SPDX-License-Identifier: Apache-2.0
import { runTests } from './run-tests.ts';

/** What tools/test/e2e.ts runs in the network of a cluster, whose name is in ETCD_OPERATOR_E2E_CLUSTER. */
await runTests({ projects: ['e2e'], args: process.argv.slice(2) });
