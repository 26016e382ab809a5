// SPDX-License-Identifier: Apache-2.0
import { settle, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { BackupRuns, type RunRequest } from './backup-runs.ts';

const request = (work: RunRequest['work'], ended: string[] = []): RunRequest => ({
  uid: 'uid',
  generation: 1,
  due: 0,
  work,
  onEnd: () => ended.push('ended'),
});
const endless: RunRequest['work'] = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('runs of backups', () => {
  test('[81] never two of one object', async () => {
    const runs = new BackupRuns(new VirtualClock());
    let begun = 0;
    const work: RunRequest['work'] = (signal, reporter) => {
      begun += 1;
      return endless(signal, reporter);
    };
    runs.start(request(work));
    runs.start(request(work));
    expect([begun, runs.running]).toEqual([1, 1]);
  });

  test('tell how far they are, and what they came to until that has been reported', async () => {
    const ended: string[] = [];
    const runs = new BackupRuns(new VirtualClock());
    runs.start(
      request(async (_, reporter) => {
        reporter.object('key', 100);
        reporter.bytes(40);
        throw new Error('broken');
      }, ended),
    );
    await settle();
    expect(ended).toEqual(['ended']);
    expect(runs.state('uid')).toMatchObject({
      progress: { object: 'key', bytes: 40, totalBytes: 100 },
      outcome: { kind: 'failed', fault: { kind: 'passing', message: 'broken' } },
    });
    runs.forget('uid');
    expect(runs.state('uid')).toBeUndefined();
  });

  test('[82] D21: one that is called off ends, says so, and leaves nothing that runs', async () => {
    const runs = new BackupRuns(new VirtualClock());
    runs.start(request(endless));
    runs.forget('uid');
    expect(runs.state('uid')).toBeDefined();
    runs.cancel('uid', 'changed');
    await settle();
    expect(runs.state('uid')?.outcome).toEqual({ kind: 'cancelled' });
    expect(runs.running).toBe(0);
  });

  test('of an object that is gone are forgotten at once, and have cleaned up when that is done', async () => {
    const runs = new BackupRuns(new VirtualClock());
    const cleaned = Promise.withResolvers<void>();
    const work: RunRequest['work'] = async (signal, reporter) => {
      try {
        return await endless(signal, reporter);
      } finally {
        await cleaned.promise;
      }
    };
    runs.start(request(work));
    const abandoned = runs.abandon('uid');
    expect(runs.state('uid')).toBeUndefined();
    await settle();
    expect(runs.running).toBe(1);
    cleaned.resolve();
    await abandoned;
    expect(runs.running).toBe(0);
  });

  test('end with the manager, which waits for them, and none begins after that', async () => {
    const runs = new BackupRuns(new VirtualClock());
    const stop = new AbortController();
    const manager = runs.run(stop.signal);
    runs.start(request(endless));
    stop.abort(new Error('stopping'));
    await manager;
    expect(runs.running).toBe(0);
    runs.start({ ...request(endless), uid: 'late' });
    expect(runs.state('late')).toBeUndefined();
  });
});
