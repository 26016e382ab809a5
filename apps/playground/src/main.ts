// SPDX-License-Identifier: Apache-2.0
/** The entry point of `npm start`. Everything else is loaded after the cache of compiled modules is set up. */
import { openModuleCache } from './module-cache.ts';

openModuleCache(process.env);
const { runCommandLine } = await import('./command.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
