import { fileURLToPath } from 'node:url'
import { testsOfSeeds } from './vitest.seeds.js'

/** A limit for hangs only: no test approaches it even on a machine ten times slower than ours. */
const TEN_MINUTES = 600_000

/** The seeds of `pnpm properties`, such as `2,77`. */
const seeds = process.env.KUBE_RULES_SEEDS?.split(',').map(Number) ?? []

/** The common configuration of all projects. */
export const shared = {
  plugins: [testsOfSeeds(seeds)],
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    // By default, a machine that is busy for a second fails a test.
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    testTimeout: TEN_MINUTES,
    hookTimeout: TEN_MINUTES,
    setupFiles: [fileURLToPath(new URL('packages/compiler/test/support/seed.ts', import.meta.url))],
  },
}

/** Tests that need isolated modules. */
export const ownModules = [
  'packages/compiler/test/tables/**/*.test.ts',
  'packages/compiler/test/targets/iptables/colliding-chains.test.ts',
  'packages/analyzer/test/prove/colliding-chains.test.ts',
  'packages/analyzer/test/diagnose/shared-chain.test.ts',
  'packages/cli/test/commands/colliding-chains.test.ts',
  'packages/cli/test/run-cli.test.ts',
] as const
