// SPDX-License-Identifier: Apache-2.0
import type { Sample } from './held.ts';
import { growthOf, warmUp } from './verdict.ts';

const [width, height] = [760, 300];
const frame = { left: 56, right: 16, top: 44, bottom: 36 };
const colours = ['#2f6fab', '#c0722f'];

/** The memory of each operator over time as an SVG: every sample as a thin line, what was measured at rest as dots. */
export function picture(samples: readonly Sample[]): string {
  const pods = Object.entries(Object.groupBy(samples, ({ pod }) => pod)).map(([pod, own = []]) => ({ pod, own }));
  const last = Math.max(1, ...samples.map(({ at }) => at));
  const most = Math.ceil(Math.max(1, ...samples.map(({ resident }) => resident / 1e6)) / 20) * 20;
  const x = (at: number) => round(frame.left + (at / last) * (width - frame.left - frame.right));
  const y = (megabytes: number) =>
    round(height - frame.bottom - (megabytes / most) * (height - frame.top - frame.bottom));
  const growth = growthOf(samples);
  const curves = pods.flatMap(({ pod, own }, index) => {
    const colour = colours[index % colours.length];
    const points = own.map(({ at, resident }) => `${x(at)},${y(resident / 1e6)}`).join(' ');
    const dots = own
      .filter(({ isAtRest }) => isAtRest)
      .map(({ at, resident }) => `<circle cx="${x(at)}" cy="${y(resident / 1e6)}" r="2.2" fill="${colour}"/>`);
    const slope = growth.find((one) => one.pod === pod)?.resident ?? 0;
    const label = `operator ${index + 1}: ${slope < 0 ? '−' : '+'}${Math.abs(slope).toFixed(2)} MB per hour`;
    return [
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-opacity="0.45"/>`,
      ...dots,
      `<text x="${frame.left + index * 260}" y="22" fill="${colour}">${label}</text>`,
    ];
  });
  const grid = Array.from({ length: 5 }, (_, index) => (index * most) / 4).map(
    (value) =>
      `<path d="M${frame.left} ${y(value)}H${width - frame.right}" stroke="#d0d4da"/><text x="${frame.left - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  );
  const step = last > 60 ? 20 : last > 20 ? 10 : 5;
  const hours = Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step).map(
    (at) => `<text x="${x(at)}" y="${height - frame.bottom + 18}" text-anchor="middle">${at}</text>`,
  );
  const begins = `<path d="M${x(Math.min(warmUp, last))} ${frame.top}V${height - frame.bottom}" stroke="#9aa3ad" stroke-dasharray="4 4"/>`;
  const units = `<text x="8" y="${frame.top - 8}">MB</text><text x="${width - frame.right}" y="${height - 4}" text-anchor="end">minutes</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#4a525c">`,
    '<title>Resident memory of the operators during the soak</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...grid,
    ...hours,
    begins,
    ...curves,
    units,
    '</svg>',
    '',
  ].join('\n');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
