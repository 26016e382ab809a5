// SPDX-License-Identifier: Apache-2.0
import { connect, isIP, type NetConnectOpts, type Socket } from 'node:net';
import type { Clock } from '@operator-parts/ports';
import { dnsTypes } from '../../../dns/message.ts';
import type { Zone } from '../../../dns/zone.ts';
import { RuntimeError } from '../../runtime-error.ts';

const timeout = 10_000;

/** The DNS search path of a pod in the namespace `default`. */
const searchList = ['', '.cluster.local', '.svc.cluster.local', '.default.svc.cluster.local'];

/** Connects to a pod or a Service of the lab, by address or by name. Nothing is read from the socket here. */
export function dial(clock: Clock, zone: Zone, host: string, port: number): Promise<Socket> {
  const address = isIP(host) ? host : lookUp(zone, host);
  if (!address) return Promise.reject(new RuntimeError('Unreachable', `no such host in the lab: ${host}`));
  return connectTo(clock, { host: address, port }, `${host}:${port}`);
}

/** Connects within ten seconds, without reading. */
export function connectTo(clock: Clock, where: NetConnectOpts, name: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(where);
    // The receiver of the socket reads it; a byte read here would be lost.
    socket.pause();
    const timer = clock.schedule(timeout, () => socket.destroy(new Error('timed out')));
    const failed = (cause: Error) => {
      timer.cancel();
      reject(new RuntimeError('Unreachable', `cannot connect to ${name}: ${cause.message}`, { cause }));
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      timer.cancel();
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

function lookUp(zone: Zone, host: string): string | undefined {
  for (const suffix of searchList) {
    for (const type of [dnsTypes.A, dnsTypes.AAAA]) {
      const [record] = zone.resolve(`${host}${suffix}`, type).answers;
      if (record?.type === 'A' || record?.type === 'AAAA') return record.address;
    }
  }
  return undefined;
}
