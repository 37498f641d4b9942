import { fileURLToPath } from 'node:url'

/** For a hang alone: no test comes near it on a machine ten times as slow as ours. */
const TEN_MINUTES = 600_000

/** What all projects have in common. */
export const shared = {
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    expect: { requireAssertions: true },
    testTimeout: TEN_MINUTES,
    hookTimeout: TEN_MINUTES,
    setupFiles: [fileURLToPath(new URL('packages/compiler/test/support/seed.ts', import.meta.url))],
  },
}

/** The tests that need modules of their own. */
export const ownModules = [
  'packages/compiler/test/tables/**/*.test.ts',
  'packages/analyzer/test/trace/leading.test.ts',
] as const
