// SPDX-License-Identifier: Apache-2.0
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the kernel's ephemeral ports, one of which may be taken between the check and the use, because many tests open
 * connections. Above the ports of well-known servers, and below the node ports of Kubernetes.
 */
const [lowest, highest] = [12_000, 29_999];

/** For this process: no port is returned twice. */
const given = new Set<number>();

/** This many different free ports of loopback. Another process may rarely choose the same one at the same moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = randomInt(lowest, highest + 1);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) found.push(port);
  }
  return found;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** A free port of loopback. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
