// SPDX-License-Identifier: Apache-2.0

/** One comparison with a peer. Both sides run in the same run, on the same machine and against the same servers. */
export interface Benchmark {
  /** As in the documentation, such as 'B2'. */
  readonly id: string;
  readonly title: string;
  /** Progress goes to `report`, a line at a time. Rejects if a side did not do its work; a missed bar is a result. */
  run(report: (line: string) => void, signal: AbortSignal): Promise<BenchmarkResult>;
}

/** What a benchmark found. Ratios are ours / theirs, bars have the name of the ratio that they judge. */
export interface BenchmarkResult {
  readonly ratios: Record<string, number>;
  readonly bars: Record<string, number>;
  readonly ok: boolean;
}
