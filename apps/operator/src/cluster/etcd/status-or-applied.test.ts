// SPDX-License-Identifier: Apache-2.0
import type { MemberStatus } from '@operator-parts/etcd';
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { statusOrApplied } from './status-or-applied.ts';

const status = { memberId: 1n } as MemberStatus;

/** Answers after some milliseconds, or never if none are given. */
function after<T>(clock: VirtualClock, milliseconds: number | undefined, answer: () => T) {
  return async (signal: AbortSignal): Promise<T> => {
    await clock.sleep(milliseconds ?? 1e9, signal);
    return answer();
  };
}

const refused = () => {
  throw new Error('the connection was refused');
};

/** The answer, and after how many milliseconds it arrived. */
async function asked(
  statusAfter: number | undefined,
  appliedAfter: number | undefined,
  says: {
    readonly status?: () => MemberStatus;
    readonly applied?: number | undefined;
    readonly servesWithin?: number | undefined;
  } = {},
) {
  const clock = new VirtualClock(0);
  const { signal } = new AbortController();
  const applied = 'applied' in says ? says.applied : 7;
  const member = {
    status: after(clock, statusAfter, says.status ?? (() => status)),
    applied: after(clock, appliedAfter, () => applied),
    servesWithin: 'servesWithin' in says ? says.servesWithin : 150,
  };
  let said: unknown;
  const answer = statusOrApplied(member, clock, signal).then(
    (value) => {
      said = value;
    },
    (error: unknown) => {
      said = error;
    },
  );
  while (said === undefined && clock.now() < 5_000) {
    await clock.advance(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await answer;
  return { said, took: clock.now() };
}

describe('of a member that joins', () => {
  test('the status counts, also if it comes a moment after the metrics', async () => {
    expect((await asked(10, 500)).said).toBe(status);
    expect((await asked(100, 10)).said).toBe(status);
  });

  test('that is up and does not serve, it is known at once how far it is', async () => {
    const { said, took } = await asked(undefined, 10);
    expect(said).toBe(7);
    expect(took).toBeLessThan(300);
  });

  test('that is slow to accept connections, the status counts where it is given its time', async () => {
    expect((await asked(450, 10)).said).toBe(7);
    expect((await asked(450, 10, { servesWithin: undefined })).said).toBe(status);
  });

  test('whose port refuses connections, it is known how far it is', async () => {
    expect((await asked(10, 20, { status: refused })).said).toBe(7);
  });

  test('whose metrics do not answer, the status decides', async () => {
    expect((await asked(400, 10, { applied: undefined })).said).toBe(status);
    expect((await asked(400, 10, { applied: undefined, status: refused })).said).toMatchObject({
      message: 'the connection was refused',
    });
  });
});

test('a stop ends both questions', async () => {
  const clock = new VirtualClock(0);
  const stop = new AbortController();
  const member = {
    status: after(clock, undefined, () => status),
    applied: after(clock, undefined, () => 7),
    servesWithin: 150,
  };
  const answer = statusOrApplied(member, clock, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(answer).rejects.toThrow('stopped');
});
