// SPDX-License-Identifier: Apache-2.0
import { isObject, own } from '../json/json-value.ts';
import type { Status } from '../kube-error.ts';

/** The subprotocols of exec and attach, the best first. Only v5 can signal the end of stdin. */
export const remoteCommandProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The first byte of each message: its stream. */
export const streams = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** A message of one stream. */
export function streamMessage(stream: number, payload: Uint8Array): Uint8Array {
  const message = new Uint8Array(payload.length + 1);
  message[0] = stream;
  message.set(payload, 1);
  return message;
}

/** The v5 message for the end of a stream. */
export function closeMessage(stream: number): Uint8Array {
  return Uint8Array.of(streams.close, stream);
}

/** The Status on the error stream when a command has ended. */
export function statusOfExit(exitCode: number): Status {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

/** The exit code in a Status of the error stream; undefined if the command could not be run. */
export function exitCodeOf(status: unknown): number | undefined {
  if (!isObject(status)) return undefined;
  if (own(status, 'status') === 'Success') return 0;
  if (own(status, 'reason') !== 'NonZeroExitCode') return undefined;
  const { details } = status as Status;
  const cause = details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const code = Number.parseInt(cause?.message ?? '', 10);
  return Number.isNaN(code) ? undefined : code;
}
