// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { configOf } from './config/kubeconfig.ts';
import { parseKubeconfig } from './config/kubeconfig-file.ts';
import { applyJsonPatch } from './patch/json-patch.ts';
import { applyStrategicPatch } from './patch/strategic/strategic-patch.ts';
import { parseFieldSelector } from './selectors/field-selector.ts';
import { parseLabelSelector } from './selectors/label-selector.ts';
import { SpdyFrameDecoder } from './spdy/frame.ts';
import { schemaOf } from './testing/patch-schemas.ts';
import { parseDuration } from './values/duration.ts';
import { parseTime } from './values/micro-time.ts';
import { parseQuantity } from './values/quantity.ts';
import { FrameDecoder } from './web-socket/frame.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

/** True if `work` returns, or throws an error of the expected class. */
function endsWell(work: () => unknown, name: string): boolean {
  try {
    work();
    return true;
  } catch (error) {
    return error instanceof Error && error.name === name;
  }
}

const runs = { numRuns: 500 };

describe('whatever arrives, what reads it ends well:', () => {
  test.each<[string, (text: string) => unknown, string]>([
    ['a quantity', parseQuantity, 'ParseError'],
    ['a duration', parseDuration, 'ParseError'],
    ['a time', parseTime, 'ParseError'],
    ['a label selector', parseLabelSelector, 'ParseError'],
    ['a field selector', parseFieldSelector, 'ParseError'],
    ['a kubeconfig', (text) => configOf(parseKubeconfig('/f', text)), 'KubeError'],
  ])('%s', (_, parse, name) => {
    const pieces = fc.array(
      fc.constantFrom(
        '1',
        'e9',
        '.',
        '-',
        'Ki',
        'h',
        ' in ',
        '(',
        ')',
        ',',
        '=',
        '!',
        '\\',
        ':',
        '{',
        '[',
        '\n',
        'T',
        'Z',
        '&a ',
        '*a',
      ),
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      pieces.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(endsWell(() => parse(text), name)).toBe(true);
      }),
      runs,
    );
  });

  test('a kubeconfig of the right shape with the wrong things in it', () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant('c'));
    const entry = (field: string) =>
      fc.array(
        fc.record({
          name: fc.constant('c'),
          [field]: fc.dictionary(
            fc.constantFrom('server', 'cluster', 'user', 'exec', 'token', 'as', 'as-groups', 'client-key'),
            value,
          ),
        }),
        { maxLength: 1 },
      );
    const config = fc.record({
      'current-context': fc.constant('c'),
      clusters: entry('cluster'),
      users: entry('user'),
      contexts: entry('context'),
    });
    fc.assert(
      fc.property(config, (document) => {
        expect(endsWell(() => configOf(parseKubeconfig('/f', JSON.stringify(document))), 'KubeError')).toBe(true);
      }),
      runs,
    );
  });

  test('frames of both framings', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }), fc.boolean(), (pieces, masked) => {
        const webSocket = new FrameDecoder({ masked, limit: 1000 });
        const spdy = new SpdyFrameDecoder();
        expect(endsWell(() => pieces.map((piece) => [...webSocket.push(piece)]), 'FrameError')).toBe(true);
        expect(endsWell(() => pieces.map((piece) => [...spdy.push(piece)]), 'SpdyError')).toBe(true);
      }),
      runs,
    );
  });

  test('patches', () => {
    const pods = schemaOf('v1', 'Pod');
    const key = fc.constantFrom(
      'metadata',
      'spec',
      'containers',
      'finalizers',
      'name',
      '$patch',
      '$retainKeys',
      '$setElementOrder/containers',
      '$deleteFromPrimitiveList/finalizers',
      '__proto__',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 1, 'a', 'delete', 'replace'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    const json = (part: unknown): unknown => JSON.parse(JSON.stringify(part));
    fc.assert(
      fc.property(value, value, (object, patch) => {
        expect(endsWell(() => applyStrategicPatch(json(object), json(patch), pods), 'PatchError')).toBe(true);
        expect(endsWell(() => applyJsonPatch(json(object), json(patch) as never), 'PatchError')).toBe(true);
        expect(({} as { name?: unknown }).name).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });
});
