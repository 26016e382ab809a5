// SPDX-License-Identifier: Apache-2.0
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that a kernel gives to connections by itself, of which one may be taken between the look and the use: many tests connect all the
 * time. Above those of well-known servers, and below the node ports of Kubernetes.
 */
const [lowest, highest] = [12_000, 29_999];

/** Of this process: none is given twice. */
const given = new Set<number>();

/** So many different ports of loopback that nobody listens on. Another process may choose the same one in the same moment, and seldom does. */
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

/** A port of loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
