// SPDX-License-Identifier: Apache-2.0
/** Loaded into the shipped programs by `NODE_OPTIONS=--import`: tells over HTTP what their process holds, once garbage is collected. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { type Held, probePort } from './held.ts';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const server = createServer((_request, response) => {
    collect();
    response.setHeader('connection', 'close');
    response.end(JSON.stringify(held()));
  });
  server.listen(probePort);
  server.unref();
}

function held(): Held {
  const rollup = readFileSync('/proc/self/smaps_rollup', 'utf8');
  const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]);
  const { heapUsed, external } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const sockets = readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith('socket:')).length;
  return {
    resident: kilobytes('Rss') * 1024,
    proportional: kilobytes('Pss') * 1024,
    heap: heapUsed,
    external,
    sockets,
    timers: resources.filter((name) => name === 'Timeout' || name === 'Immediate').length,
    handles: resources.filter((name) => name !== 'Timeout' && name !== 'Immediate').length,
  };
}

/** One that was closed since the folder was read is none. */
function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
