// SPDX-License-Identifier: Apache-2.0
/** What `npm start` runs. Everything else is loaded once the cache of compiled modules is open. */
import { openModuleCache } from './module-cache.ts';

openModuleCache(process.env);
const { runCommandLine } = await import('./command.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
