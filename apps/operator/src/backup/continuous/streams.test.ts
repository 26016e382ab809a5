// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { Jobs } from '../../restore/jobs.ts';
import type { StreamGap, StreamReporter } from './run-stream.ts';
import { Streams } from './streams.ts';

const backup: EtcdBackup = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdBackup',
  metadata: { name: 'b', namespace: 'ns', uid: 'uid', generation: 3 },
  spec: { storageType: 'S3' },
};
const fault = { kind: 'passing', reason: 'EtcdUnavailable', message: 'nobody answers' } as const;

/** A stream that the test controls. */
class Scene {
  readonly clock = new VirtualClock();
  reconciles = 0;
  readonly streams = new Streams({
    jobs: new Jobs(this.clock),
    clock: this.clock,
    enqueue: () => {
      this.reconciles += 1;
    },
    lastPath: () => 'one',
  });
  reporter: StreamReporter | undefined;
  #ended = Promise.withResolvers<StreamGap>();

  start(): void {
    this.#ended = Promise.withResolvers();
    const { promise } = this.#ended;
    this.streams.start(
      backup,
      (reporter, signal) => {
        this.reporter = reporter;
        return Promise.race([promise, aborted(signal)]);
      },
      () => undefined,
    );
  }

  async gap(): Promise<void> {
    this.#ended.resolve({ why: 'compacted' });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
  return promise;
}

describe('a stream', () => {
  test('is seen with the generation that it was started for, and not any more when it was ended', async () => {
    const scene = new Scene();
    expect(scene.streams.view(backup)).toEqual({ kind: 'idle' });
    scene.start();
    expect(scene.streams.view(backup)).toEqual({ kind: 'running', generation: 3 });
    await scene.streams.end('uid');
    expect(scene.streams.view(backup)).toEqual({ kind: 'idle' });
  });

  test('has its object looked at every 3 s while the cluster is written to, and once a minute while it is not', async () => {
    const scene = new Scene();
    scene.start();
    for (let second = 0; second < 60; second += 1) {
      scene.reporter?.point({ revision: BigInt(second), time: second });
      await scene.clock.advance(1_000);
    }
    expect(scene.reconciles).toBe(20);
    for (let second = 0; second < 120; second += 1) {
      scene.reporter?.point({ revision: 59n, time: second });
      await scene.clock.advance(1_000);
    }
    expect(scene.reconciles - 20).toBeLessThanOrEqual(3);
  });

  test('that fails says so once, and that it goes on again', () => {
    const scene = new Scene();
    scene.start();
    scene.reporter?.failed(fault);
    scene.reporter?.failed(fault);
    expect(scene.reconciles).toBe(1);
    expect(scene.streams.report('uid')?.fault).toEqual(fault);
    scene.reporter?.point({ revision: 1n, time: 1 });
    expect(scene.streams.report('uid')).toMatchObject({ fault: undefined, point: { revision: 1n } });
    expect(scene.reconciles).toBe(2);
  });

  test('with a gap waits for another backup than the last one, at once the first time and not the second', async () => {
    const scene = new Scene();
    scene.start();
    await scene.gap();
    expect(scene.streams.view(backup)).toEqual({ kind: 'waiting', afterPath: 'one', pauseMs: 0 });
    expect(scene.streams.report('uid')?.gap?.why).toBe('compacted');
    await scene.streams.end('uid');
    await scene.clock.advance(60_000);
    scene.start();
    await scene.gap();
    expect(scene.streams.view(backup)).toEqual({ kind: 'waiting', afterPath: 'one', pauseMs: 600_000 });
    await scene.clock.advance(590_000);
    expect(scene.streams.view(backup)).toMatchObject({ pauseMs: 10_000 });
  });
});
