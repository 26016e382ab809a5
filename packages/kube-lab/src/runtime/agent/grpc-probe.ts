// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:http2';
import { urlHost } from '../../network/addresses.ts';
import type { ProbeOutcome, ProbeTarget } from '../container-runtime.ts';

const path = '/grpc.health.v1.Health/Check';
const serving = 1;
const answerLimit = 4096;

/** Calls the standard health service of gRPC, in plaintext, as the kubelet does. */
export function grpcProbe(target: Extract<ProbeTarget, { kind: 'grpc' }>, signal: AbortSignal): Promise<ProbeOutcome> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${urlHost(target.host)}:${target.port}`);
    const finish = (act: () => void) => {
      signal.removeEventListener('abort', onAbort);
      session.destroy();
      act();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    session.on('error', (error) => finish(() => reject(error)));

    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'kube-probe/1.36',
    });
    let body = Buffer.alloc(0);
    let status: string | undefined;
    stream.on('response', (headers) => {
      status ??= headers['grpc-status']?.toString();
    });
    stream.on('trailers', (headers) => {
      status ??= headers['grpc-status']?.toString();
    });
    stream.on('data', (chunk: Buffer) => {
      if (body.length < answerLimit) body = Buffer.concat([body, chunk]);
    });
    stream.on('error', (error) => finish(() => reject(error)));
    stream.on('end', () => finish(() => resolve(outcome(status, body))));
    stream.end(frame(target.service));
  });
}

/** One gRPC message: a flag, a length, and `HealthCheckRequest { string service = 1 }`. */
function frame(service: string): Buffer {
  const name = Buffer.from(service, 'utf8').subarray(0, 127);
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** `HealthCheckResponse { ServingStatus status = 1 }`; an absent field is 0, unknown. */
function outcome(grpcStatus: string | undefined, body: Buffer): ProbeOutcome {
  if (grpcStatus === '12') {
    return {
      success: false,
      output: 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)',
    };
  }
  if (grpcStatus !== '0')
    return { success: false, output: `error: health rpc probe failed with status ${grpcStatus ?? 'none'}` };
  const value = body[5] === 0x08 ? (body[6] ?? 0) : 0;
  if (value === serving) return { success: true, output: 'service healthy' };
  const names = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
  return { success: false, output: `service unhealthy (responded with "${names[value] ?? value}")` };
}
