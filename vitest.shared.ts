import { fileURLToPath } from 'node:url'

/** A limit for hangs only: no test approaches it even on a machine ten times slower than ours. */
const TEN_MINUTES = 600_000

/** The common configuration of all projects. */
export const shared = {
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    expect: { requireAssertions: true },
    testTimeout: TEN_MINUTES,
    hookTimeout: TEN_MINUTES,
    setupFiles: [fileURLToPath(new URL('packages/compiler/test/support/seed.ts', import.meta.url))],
  },
}

/** Tests that need isolated modules. */
export const ownModules = [
  'packages/compiler/test/tables/**/*.test.ts',
  'packages/analyzer/test/trace/follow-paths.test.ts',
  'packages/cli/test/run-cli.test.ts',
] as const
