// SPDX-License-Identifier: Apache-2.0

/** The progress messages of a part's build. */
export interface Progress {
  /** A long step begins; call `end` of the result, with or without a closing line. */
  begin(title: string): ProgressTask;
}

export interface ProgressTask {
  /** The present step. */
  step(text: string): void;
  /** A message that stays visible. */
  note(text: string): void;
  end(closingLine?: string): void;
}

/** The clock of progress; tests pass their own. */
export interface ProgressTime {
  now(): number;
  /** Calls back periodically until the returned function is called. */
  every(milliseconds: number, callback: () => void): () => void;
}

const systemTime: ProgressTime = {
  now: () => performance.now(),
  every: (milliseconds, callback) => {
    const timer = setInterval(callback, milliseconds).unref();
    return () => clearInterval(timer);
  },
};

const heartbeatMilliseconds = 15_000;

/** Plain lines, for logs: the start, the end, and a line every 15 s. */
export function plainProgress(report: (line: string) => void, time: ProgressTime = systemTime): Progress {
  return {
    begin(title) {
      const started = time.now();
      let current = 'starting';
      report(`${title} ...`);
      const stop = time.every(heartbeatMilliseconds, () => {
        report(`${title}: ${current} (${seconds(time.now() - started)})`);
      });
      return {
        step: (text) => {
          current = text;
        },
        note: (text) => report(`${title}: ${text}`),
        end: (closingLine) => {
          stop();
          if (closingLine) report(closingLine);
        },
      };
    },
  };
}

export interface Terminal {
  write(text: string): unknown;
  /** 0 or absent if the width is not known. */
  readonly columns?: number | undefined;
}

/** One live line on a terminal with the seconds and the present step. */
export function liveProgress(terminal: Terminal, time: ProgressTime = systemTime): Progress {
  const clear = '\r\u001b[K';
  return {
    begin(title) {
      const started = time.now();
      let current = 'starting';
      const draw = () => {
        const line = `${title}: ${current} (${seconds(time.now() - started)})`;
        terminal.write(clear + line.slice(0, Math.max(20, (terminal.columns || 80) - 1)));
      };
      draw();
      const stop = time.every(1000, draw);
      return {
        step: (text) => {
          current = text;
          draw();
        },
        note: (text) => {
          terminal.write(`${clear}${title}: ${text}\n`);
          draw();
        },
        end: (closingLine) => {
          stop();
          terminal.write(closingLine ? `${clear}${closingLine}\n` : clear);
        },
      };
    },
  };
}

/** '4.2 s', '72 s'. */
export function seconds(milliseconds: number): string {
  return milliseconds < 9950 ? `${(milliseconds / 1000).toFixed(1)} s` : `${Math.round(milliseconds / 1000)} s`;
}
