// SPDX-License-Identifier: Apache-2.0

/** One comparison with a peer. Both sides run in the same run, on the same machine and against the same servers. */
export interface Benchmark {
  /** As in the documentation, such as 'B2'. */
  readonly id: string;
  readonly title: string;
  /** Calls `report` with progress lines. Rejects if a side failed; a missed bar is a result. */
  run(report: (line: string) => void, signal: AbortSignal): Promise<BenchmarkResult>;
}

/** The result of a benchmark. Ratios are ours / theirs; bars have the name of their ratio. */
export interface BenchmarkResult {
  readonly ratios: Record<string, number>;
  readonly bars: Record<string, number>;
  readonly ok: boolean;
}
