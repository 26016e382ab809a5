// SPDX-License-Identifier: Apache-2.0
/**
 * Time, chance and the log as parameters. Everything that waits, rolls dice or reports takes these, with real defaults only
 * at a program's edge; tests and simulations pass the virtual ones. Also the arithmetic of times to come (`cron-schedule.ts`).
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
