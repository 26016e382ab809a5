// SPDX-License-Identifier: Apache-2.0

/** The name and labels of a metric. */
export interface FamilyOptions {
  /** A Prometheus name, such as `workqueue_adds_total`. */
  readonly name: string;
  readonly help: string;
  /** @default no labels */
  readonly labels?: readonly string[];
  /**
   * How many label sets are kept; further ones are counted together under the label value `other`, so that unexpected
   * label values cannot fill the memory.
   * @default 1000
   */
  readonly maxLabelSets?: number;
}

/** One line of the exposition: name suffix, rendered labels, value. */
export type SampleWriter = (suffix: string, labels: string, value: number) => void;

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelPattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * All time series of one metric name. Callers keep a `Child`: looked up once, then updated without a search or an
 * allocation.
 */
export abstract class MetricFamily<Child> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  abstract readonly type: 'counter' | 'gauge' | 'histogram';
  readonly #maxLabelSets: number;
  readonly #children = new Map<string, Child>();
  #overflow: Child | undefined;

  constructor(options: FamilyOptions) {
    const labels = options.labels ?? [];
    if (!namePattern.test(options.name)) throw new TypeError(`not a metric name: ${options.name}`);
    for (const label of labels) {
      if (!labelPattern.test(label) || label === 'le') throw new TypeError(`not a label of ${options.name}: ${label}`);
    }
    this.name = options.name;
    this.help = options.help;
    this.labelNames = labels;
    this.#maxLabelSets = options.maxLabelSets ?? 1000;
  }

  /** The series with these label values, in the order of the label names. Created on first use. */
  labels(...values: readonly string[]): Child {
    if (values.length !== this.labelNames.length) {
      throw new TypeError(`${this.name} has the labels [${this.labelNames.join(', ')}], got ${values.length} values`);
    }
    const key = renderLabels(this.labelNames, values);
    const known = this.#children.get(key);
    if (known) return known;
    if (this.#children.size >= this.#maxLabelSets) return this.#other();
    const child = this.create();
    this.#children.set(key, child);
    return child;
  }

  /** Removes the series of an object that is gone. Updating a child kept from before has no visible effect. */
  remove(...values: readonly string[]): void {
    this.#children.delete(renderLabels(this.labelNames, values));
  }

  /** Passes every sample to `write`. */
  collect(write: SampleWriter): void {
    for (const [labels, child] of this.#children) this.write(child, labels, write);
  }

  protected abstract create(): Child;
  protected abstract write(child: Child, labels: string, write: SampleWriter): void;

  #other(): Child {
    if (!this.#overflow) {
      this.#overflow = this.create();
      const values = this.labelNames.map(() => 'other');
      this.#children.set(renderLabels(this.labelNames, values), this.#overflow);
    }
    return this.#overflow;
  }
}

/** `a="x",b="y"`, escaped as the text format requires. */
function renderLabels(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`).join(',');
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
