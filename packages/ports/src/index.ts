// SPDX-License-Identifier: Apache-2.0
/**
 * Time, randomness and the log as parameters. Code that waits, uses random numbers or logs takes these; only programs
 * set the real ones, and tests and simulations pass virtual ones. Also computes schedules (`cron-schedule.ts`).
 */
export { type Clock, sleepOn, type Timer } from './clock.ts';
export { type CronSchedule, parseCron } from './cron-schedule.ts';
export { jsonLines, type LineSink, textLines } from './log-lines.ts';
export {
  createLogger,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  type LogRecord,
  silentLogger,
} from './logger.ts';
export { nextTurn } from './next-turn.ts';
export { type Random, seededRandom, systemRandom } from './random.ts';
export { systemClock } from './system-clock.ts';
export { settle, VirtualClock } from './virtual-clock.ts';
