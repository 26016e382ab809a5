// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import { describe, expectTypeOf, test } from 'vitest';
import type { EventHandler } from '../informer/event-handler.ts';
import type { DeepReadonly } from '../store/deep-readonly.ts';
import type { IndexFunction } from '../store/indexer.ts';
import type { MapFunction } from './enqueue.ts';
import { matching, type Predicate } from './predicate.ts';

/** As an author might declare it by mistake. */
interface Box extends KubeObject {
  spec: { sizes: number[] };
}
type Shared = DeepReadonly<Box>;

describe('objects that are shared with other readers cannot be changed by', () => {
  test('handlers', () => {
    expectTypeOf<NonNullable<EventHandler<Box>['added']>>().parameter(0).toEqualTypeOf<Shared>();
    expectTypeOf<NonNullable<EventHandler<Box>['updated']>>().parameter(1).toEqualTypeOf<Shared>();
    expectTypeOf<NonNullable<EventHandler<Box>['removed']>>().parameter(0).toEqualTypeOf<Shared>();
  });

  test('predicates', () => {
    expectTypeOf<NonNullable<Predicate<Box>['added']>>().parameter(0).toEqualTypeOf<Shared>();
    expectTypeOf<NonNullable<Predicate<Box>['updated']>>().parameter(1).toEqualTypeOf<Shared>();
    expectTypeOf<NonNullable<Predicate<Box>['removed']>>().parameter(0).toEqualTypeOf<Shared>();
    expectTypeOf(matching<Box>)
      .parameter(0)
      .parameter(0)
      .toEqualTypeOf<Shared>();
  });

  test('what maps them to requests or finds them in an index', () => {
    expectTypeOf<MapFunction<Box>>().parameter(0).toEqualTypeOf<Shared>();
    expectTypeOf<IndexFunction<Box>>().parameter(0).toEqualTypeOf<Shared>();
  });
});
