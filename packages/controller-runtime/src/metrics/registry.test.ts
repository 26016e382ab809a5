// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { MetricRegistry } from './registry.ts';

describe('metric registry', () => {
  test('renders counters, gauges and histograms in the text format', () => {
    const registry = new MetricRegistry();
    registry
      .counter({ name: 'calls_total', help: 'Calls', labels: ['verb'] })
      .labels('get')
      .inc(2);
    registry.gauge({ name: 'depth', help: 'Depth\nof it' }).labels().set(-1.5);
    const sizes = registry.histogram({ name: 'size', help: 'Size', buckets: [1, 10], labels: ['kind'] }).labels('x');
    for (const size of [0.5, 1, 5, 50]) sizes.observe(size);
    expect(registry.render()).toBe(
      [
        '# HELP calls_total Calls',
        '# TYPE calls_total counter',
        'calls_total{verb="get"} 2',
        '# HELP depth Depth\\nof it',
        '# TYPE depth gauge',
        'depth -1.5',
        '# HELP size Size',
        '# TYPE size histogram',
        'size_bucket{kind="x",le="1"} 2',
        'size_bucket{kind="x",le="10"} 3',
        'size_bucket{kind="x",le="+Inf"} 4',
        'size_sum{kind="x"} 56.5',
        'size_count{kind="x"} 4',
        '',
      ].join('\n'),
    );
  });

  test('escapes label values', () => {
    const registry = new MetricRegistry();
    registry
      .counter({ name: 'a_total', help: 'A', labels: ['l'] })
      .labels('q"b\\s\nn')
      .inc();
    expect(registry.render()).toContain('a_total{l="q\\"b\\\\s\\nn"} 1');
  });

  test('the same name gives the same family; another type or other labels are refused', () => {
    const registry = new MetricRegistry();
    const first = registry.counter({ name: 'a_total', help: 'A', labels: ['l'] });
    expect(registry.counter({ name: 'a_total', help: 'A', labels: ['l'] })).toBe(first);
    expect(() => registry.gauge({ name: 'a_total', help: 'A', labels: ['l'] })).toThrow(/another type/);
    expect(() => registry.counter({ name: 'a_total', help: 'A' })).toThrow(/other labels/);
  });

  test('label sets are bounded: the rest is counted together', () => {
    const registry = new MetricRegistry();
    const family = registry.counter({ name: 'a_total', help: 'A', labels: ['l'], maxLabelSets: 2 });
    for (const value of ['a', 'b', 'c', 'd', 'a']) family.labels(value).inc();
    const text = registry.render();
    expect(text).toContain('a_total{l="a"} 2');
    expect(text).toContain('a_total{l="other"} 2');
    expect(text).not.toContain('"c"');
  });

  test('a series whose subject is gone can be removed', () => {
    const registry = new MetricRegistry();
    const family = registry.gauge({ name: 'g', help: 'G', labels: ['l'] });
    family.labels('a').set(1);
    family.remove('a');
    expect(registry.render()).not.toContain('l="a"');
  });

  test('collectors run before each rendering until they are ended', () => {
    const registry = new MetricRegistry();
    const gauge = registry.gauge({ name: 'g', help: 'G' }).labels();
    const end = registry.onCollect(() => gauge.inc());
    registry.render();
    expect(registry.render()).toContain('g 2');
    end();
    expect(registry.render()).toContain('g 2');
  });

  test('mistakes are found when a metric is declared', () => {
    const registry = new MetricRegistry();
    expect(() => registry.counter({ name: 'with space', help: '' })).toThrow(/not a metric name/);
    expect(() => registry.counter({ name: 'a_total', help: '', labels: ['le'] })).toThrow(/not a label/);
    expect(() => registry.histogram({ name: 'h', help: '', buckets: [2, 1] })).toThrow(/ascend/);
    expect(() => registry.counter({ name: 'b_total', help: '' }).labels('x')).toThrow(/got 1 values/);
    expect(() => registry.counter({ name: 'c_total', help: '' }).labels().inc(-1)).toThrow(/cannot be decreased/);
  });

  test('a failing collector spoils neither the others nor the answer', () => {
    const registry = new MetricRegistry();
    registry.onCollect(() => {
      throw new Error('broken');
    });
    registry.gauge({ name: 'g', help: 'G' }).labels().set(1);
    expect(registry.render()).toContain('g 1');
  });

  test('infinite values are written as Prometheus reads them', () => {
    const registry = new MetricRegistry();
    registry.gauge({ name: 'g', help: 'G' }).labels().set(Number.POSITIVE_INFINITY);
    registry.gauge({ name: 'h', help: 'H' }).labels().set(Number.NEGATIVE_INFINITY);
    expect(registry.render()).toMatch(/g \+Inf\n(.*\n)*h -Inf/);
  });
});
