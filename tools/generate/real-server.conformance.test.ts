// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { apiGroups } from './api-groups.ts';
import { startApiServer } from './api-server.ts';
import { captureFrom } from './capture.ts';
import { folders, generatedFiles } from './generated-files.ts';
import { differences } from './output.ts';

describe('what is generated and committed', () => {
  test('is what the real API server says', async () => {
    await using server = await startApiServer();
    const files = generatedFiles(await captureFrom(server, apiGroups));
    expect(await differences(repositoryRoot, folders, files)).toEqual([]);
  });
});
