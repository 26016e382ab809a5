// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { toolError } from './tool-failure.ts';

const cases = [
  [
    'go: example.com/x@v1: Get "http://127.0.0.1:1/example.com/x/@v/v1.info": dial tcp 127.0.0.1:1: connect: connection refused',
    'DownloadFailed',
  ],
  ['dial tcp: lookup proxy.test on 127.0.0.53:53: no such host', 'DownloadFailed'],
  ['go: example.com/x@v1: reading http://127.0.0.1/x/@v/v1.mod: 404 Not Found', 'DownloadFailed'],
  ['go: example.com/x@v1: reading http://127.0.0.1/x/@v/v1.mod: 503 Service Unavailable', 'DownloadFailed'],
  ['module lookup disabled by GOPROXY=off', 'DownloadFailed'],
  ['E: Failed to fetch http://127.0.0.1/x.deb  404  Not Found [IP: 127.0.0.1 80]', 'DownloadFailed'],
  ['verifying example.com/x@v1: checksum mismatch\nSECURITY ERROR', 'ChecksumMismatch'],
  ['/usr/lib/go/pkg/tool/link: mapping output file failed: no space left on device', 'NoSpace'],
  ['./main.go:3:2: undefined: foo', 'BuildFailed'],
  ['', 'BuildFailed'],
] as const;

test.each(cases)('%j is %s', (stderr, code) => {
  const error = toolError({
    doing: 'tiny: compiling',
    result: { stdout: '', stderr, ending: '1' },
    networkAdvice: 'check the network',
  });
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/^tiny: compiling failed: .+; .+$/);
  expect(error.message).not.toContain('\n');
});

test('the line that names the cause is shown, not the noise around it', () => {
  const stderr = 'go: downloading a v1\ngo: a v1: dial tcp: connection refused\ngo: giving up\n';
  const result = { stdout: '', stderr, ending: '1' };
  expect(toolError({ doing: 'x', result, networkAdvice: 'check the network' }).message).toBe(
    'x failed: go: a v1: dial tcp: connection refused; check the network, then run the command again',
  );
});

test('a tool that says nothing is described by its status', () => {
  const result = { stdout: '', stderr: '\n', ending: 'SIGSEGV' };
  expect(toolError({ doing: 'x', result, networkAdvice: '' }).message).toBe(
    'x failed: ended with SIGSEGV; nothing of it was kept',
  );
});
